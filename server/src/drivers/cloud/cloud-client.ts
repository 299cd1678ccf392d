import { createHash } from 'node:crypto';
import { type Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { TLSSocket } from 'node:tls';
import { AppError } from '../../errors.ts';
import { type OutboundOptions, OutboundAgent, type AgentSocketOwner } from '../../lib/outbound-agent.ts';
import { redactor } from '../../lib/redact.ts';
import { requireCloudResponse, cloudUnanswered, cloudUnreachable, cloudFailureText } from './cloud-answers.ts';

export { cloudUnreachable };

export interface CloudAddress {
  url: string;
  token: string;
}

export interface CloudCall {
  method: string;
  /** Including the query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Timeout until the response headers; with `json`, until the whole body. */
  withinMs?: number;
  /** The response may stream for hours. */
  isLasting?: boolean;
  /** Not idempotent: without a response, the error says to check before a retry. */
  isOnce?: boolean;
}

export type CloudJson = { status: number; body: unknown };

const answerMs = 60_000;
// The cloud sends a keep-alive every 15 seconds.
const silenceMs = 45_000;
const mostBytes = 4 << 20;
const mostKept = 8;

type Sending = { isSent: boolean };

/** Client of a Mooring cloud. Does not follow redirects, so that the token goes to no other host. */
export class CloudClient {
  readonly #line: OutboundOptions;
  readonly #agents = new Map<string, Agent>();

  constructor(line: OutboundOptions) {
    this.#line = line;
  }

  /** Returns the streaming response. Network failures reject with `cloud_unreachable`. */
  async open(address: CloudAddress, call: CloudCall): Promise<IncomingMessage> {
    const late = AbortSignal.timeout(call.withinMs ?? answerMs);
    const signal = call.signal ? AbortSignal.any([call.signal, late]) : late;
    const sending: Sending = { isSent: false };
    try {
      const answer = await this.#send(address, call, signal, sending);
      answer.setTimeout(silenceMs, () => answer.destroy(new Error('the cloud stopped sending data')));
      return requireCloudResponse(answer);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof AppError) throw error;
      const what = late.aborted ? 'does not respond in time' : cloudFailureText(error);
      throw call.isOnce && sending.isSent ? cloudUnanswered(what, error) : cloudUnreachable(what, error);
    }
  }

  /** Returns a small JSON response with the token redacted. */
  async json(address: CloudAddress, call: CloudCall): Promise<CloudJson> {
    const began = performance.now();
    const answer = await this.open(address, call);
    const chunks: Buffer[] = [];
    let bytes = 0;
    // A trickling response never hits the silence timeout.
    const tooSlow = () => answer.destroy(new Error('the response takes too long'));
    const leftMs = Math.max(1, (call.withinMs ?? answerMs) - (performance.now() - began));
    const late = setTimeout(tooSlow, leftMs).unref();
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > mostBytes) throw new Error('too much');
        chunks.push(chunk);
      }
      const text = redactor([address.token])(Buffer.concat(chunks).toString('utf8'));
      return { status: answer.statusCode!, body: JSON.parse(text) as unknown };
    } catch (error) {
      call.signal?.throwIfAborted();
      throw cloudUnreachable('ended its response early', error);
    } finally {
      clearTimeout(late);
    }
  }

  #send(address: CloudAddress, call: CloudCall, signal: AbortSignal, sending: Sending): Promise<IncomingMessage> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(this.#optionsOf(address, call, body));
    const stop = () => sent.destroy(new Error('stopped'));
    let hasBegun = false;
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    sent
      .once('socket', (socket) => {
        const note = () => (sending.isSent = true);
        // Nothing is sent before the TLS handshake completes.
        if (socket instanceof TLSSocket && !sent.reusedSocket) socket.once('secureConnect', note);
        else note();
      })
      // Without a listener, an upgrade ends the request with neither an error nor a response.
      .once('upgrade', (_, socket) => {
        signal.removeEventListener('abort', stop);
        socket.destroy();
        reject(new Error('switches protocols'));
      })
      .once('response', (answer) => {
        signal.removeEventListener('abort', stop);
        hasBegun = true;
        // From here on only the caller's signal applies. Remove the listener at the end: the signal may be long-lived.
        const end = () => answer.destroy();
        call.signal?.addEventListener('abort', end, { once: true });
        answer.once('close', () => call.signal?.removeEventListener('abort', end));
        resolve(answer);
      })
      .on('error', (error) => {
        signal.removeEventListener('abort', stop);
        // Once the response has begun, its reader gets the error. Only a stale reused socket is retried.
        const isStale = !hasBegun && sent.reusedSocket && !signal.aborted && call.method === 'GET';
        if (isStale) this.#send(address, call, signal, sending).then(resolve, reject);
        else reject(error);
      })
      .end(body);
    return promise;
  }

  #optionsOf(
    { url, token }: CloudAddress,
    call: CloudCall,
    body: string | undefined,
  ): RequestOptions & AgentSocketOwner {
    const { protocol, hostname, host, port } = new URL(url);
    const isSecure = protocol === 'https:';
    return {
      agent: this.#agent(isSecure, call),
      owner: createHash('sha256').update(token).digest('base64url'),
      method: call.method,
      host: hostname,
      port: port || (isSecure ? 443 : 80),
      path: call.path,
      headers: { accept: '*/*', ...call.headers, ...bodyHeaders(body), host, authorization: `Bearer ${token}` },
    };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  /** Writes and streams use a new connection: the cloud may close an idle one just as it is reused. */
  #agent(isSecure: boolean, { method, isLasting = false }: CloudCall): Agent {
    const isKept = method === 'GET' && !isLasting;
    const name = `${isSecure} ${isKept}`;
    const known =
      this.#agents.get(name) ?? new OutboundAgent(this.#line, isSecure, isKept, isKept ? mostKept : Infinity);
    this.#agents.set(name, known);
    return known;
  }
}

const bodyHeaders = (body: string | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
