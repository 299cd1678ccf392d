import { type Agent, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import type { Readable } from 'node:stream';
import { StorageError } from '../storage.ts';
import type { S3Address } from './address.ts';

/** Body of a request; can be read again for a retry. */
export interface S3Payload {
  bytes: number;
  sha256: string;
  md5: string;
  open(): Buffer | Readable;
}

export interface S3Exchange {
  agent: Agent;
  address: S3Address;
  method: string;
  path: string;
  headers: Record<string, string>;
  payload: S3Payload | undefined;
  /** Maximum time without progress. */
  stallMs: number;
  signal: AbortSignal;
}

// Large bodies wait for `100 Continue`, so that a server can reject them early. Some servers never send it and get
// the body anyway.
const askBeforeBytes = 64 * 1024;
const sendAnywayMs = 1_000;
const mostAnswerBytes = 16 * 1024 * 1024;

/** Sends one request. The caller must read or destroy the response. */
export function sendS3Request(options: S3Exchange): Promise<IncomingMessage> {
  const { agent, address, method, path, payload, stallMs, signal } = options;
  const isAsked = payload !== undefined && payload.bytes > askBeforeBytes;
  const headers = {
    ...options.headers,
    ...(payload && { 'content-length': String(payload.bytes) }),
    ...(isAsked && { expect: '100-continue' }),
  };
  const { host, port, isSecure } = address;
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? secure : plain)({ agent, host, port, method, path, headers, signal });
    let timer: NodeJS.Timeout | undefined;
    let hasBegun = false;
    const begin = () => {
      clearTimeout(timer);
      if (hasBegun) return;
      hasBegun = true;
      const content = payload?.open();
      if (content === undefined || Buffer.isBuffer(content)) sent.end(content);
      else content.on('error', (error) => sent.destroy(error)).pipe(sent);
    };
    sent.setTimeout(stallMs, () => sent.destroy(stalled(address, stallMs)));
    // Also handles errors after the response: its reader gets them.
    sent.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    sent.once('response', (answer) => {
      clearTimeout(timer);
      sent.setTimeout(0);
      // Rejected before the body was sent: the connection cannot be reused.
      if (!hasBegun) answer.once('close', () => sent.destroy());
      resolve(answer);
    });
    if (!isAsked) return begin();
    sent.once('continue', begin);
    sent.once('socket', () => (timer = setTimeout(begin, sendAnywayMs)));
    sent.flushHeaders();
  });
}

const stalled = ({ hostHeader }: S3Address, stallMs: number) =>
  new StorageError('timeout', `${hostHeader} sent no data for ${stallMs / 1000} s`);

/** Yields the body of a response. Only the wait for the server counts as a stall. */
export async function* bodyBytes(answer: IncomingMessage, address: S3Address, stallMs: number): AsyncGenerator<Buffer> {
  const iterator = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const timer = setTimeout(() => answer.destroy(stalled(address, stallMs)), stallMs);
      const { done, value } = await iterator.next().finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    answer.destroy();
  }
}

/** Returns a short response as text. */
export async function textOfAnswer(answer: IncomingMessage, address: S3Address, stallMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of bodyBytes(answer, address, stallMs)) {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes)
      throw new StorageError('misconfigured', `${address.hostHeader} sends an endless response`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
