import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import type { Edge } from '../../src/drivers/edge/edge.ts';
import { createMemoryEdge } from '../../src/drivers/edge/memory.ts';
import type { TestApp } from './app.ts';

/** An edge in this process: it only serves certificates by name and forwards challenges to an app. */
export interface SmallEdge {
  edge: Edge;
  port: number;
  tlsPort: number;
  /** The host names of requests over plain HTTP. */
  asked: string[];
  /** Challenge responses set in advance, by token. */
  given: Map<string, string>;
  /** Sets the app that responds to challenges. */
  answerBy(app: TestApp | undefined): void;
  /** Returns garbage for a host name after that many requests. */
  spoilAfter(host: string, questions: number): void;
  close(): Promise<void>;
}

const listening = (server: Server | ReturnType<typeof createTlsServer>): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

export async function startSmallEdge(): Promise<SmallEdge> {
  const asked: string[] = [];
  const given = new Map<string, string>();
  let app: TestApp | undefined;
  const spoiled = new Map<string, number>();
  const plain = createServer((req, res) => {
    const host = (req.headers.host ?? '').replace(/:\d+$/, '');
    asked.push(host);
    const left = (spoiled.get(host) ?? Infinity) - 1;
    spoiled.set(host, left);
    const headers = { 'x-mooring-asked-host': host };
    const known = given.get(req.url!.split('/').at(-1)!);
    if (left < 0) res.end('nonsense');
    else if (known !== undefined) res.end(known);
    else if (app)
      void app.call('GET', req.url!, { headers }).then(({ status, text }) => res.writeHead(status).end(text));
    else res.writeHead(404).end();
  });
  const contexts = new Map<string, SecureContext>();
  const tls = createTlsServer({
    SNICallback: (name, done) => {
      const context = contexts.get(name);
      if (context) done(null, context);
      else done(new Error('nobody of that name'));
    },
  });
  tls.on('tlsClientError', () => {});
  const [port, tlsPort] = await Promise.all([listening(plain), listening(tls)]);
  const memory = createMemoryEdge();
  const edge: Edge = {
    ...memory,
    url: (host, { secure } = { secure: false }) => (secure ? `https://${host}:${tlsPort}` : `http://${host}:${port}`),
    async answerChallenge(token, text) {
      if (text === null) given.delete(token);
      else given.set(token, text);
    },
    async useCertificate(certificate) {
      contexts.set(certificate.host, createSecureContext({ cert: certificate.chain, key: certificate.key }));
      await memory.useCertificate(certificate);
    },
    async removeCertificate(host) {
      contexts.delete(host);
      await memory.removeCertificate(host);
    },
  };
  return {
    edge,
    port,
    tlsPort,
    asked,
    given,
    answerBy: (next) => void (app = next),
    spoilAfter: (host, questions) => void spoiled.set(host, questions),
    async close() {
      await new Promise((resolve) => plain.close(resolve));
      await new Promise((resolve) => tls.close(resolve));
    },
  };
}
