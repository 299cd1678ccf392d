import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request that the host received. */
export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface ScriptedHost {
  url: string;
  /** All received requests, in order. */
  asked: Asked[];
}

/** An HTTP server in place of a git host, scripted by the test. */
export async function scriptedHost(answer: RequestListener, address = '127.0.0.1'): Promise<ScriptedHost> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const one: Asked = { method: method!, url: url!, headers, body: '' };
    asked.push(one);
    // A truncated request has no body.
    text(request).then(
      (body) => {
        one.body = body;
        answer(request, response);
      },
      () => response.destroy(),
    );
  }).listen(0, address);
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, asked };
}

/** Responds in order; the last response repeats. */
export const inTurn = (...answers: RequestListener[]): RequestListener => {
  let next = 0;
  return (request, response) => answers[Math.min(next++, answers.length - 1)]!(request, response);
};

/** A JSON response. */
export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
