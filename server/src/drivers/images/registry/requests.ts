import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { RegistryAnswer, RegistryCall } from './image-registry.ts';

const withinMs = 30_000;

/** Sends a request over a connection that is already open. */
export function requestOver(connection: Duplex, host: string, call: RegistryCall): Promise<RegistryAnswer> {
  const headers = { ...call.headers, host, connection: 'close' };
  return answerOf(
    requestHttp({ ...call, headers, createConnection: () => connection, signal: AbortSignal.timeout(withinMs) }),
  );
}

async function answerOf(sent: ClientRequest): Promise<RegistryAnswer> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  return { status: answer.statusCode!, headers: answer.headers, body: await text(answer) };
}
