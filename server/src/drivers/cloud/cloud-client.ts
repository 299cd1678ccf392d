import { createHash } from 'node:crypto';
import { type Agent, type IncomingMessage, request, type RequestOptions } from 'node:http';
import { TLSSocket } from 'node:tls';
import { AppError } from '../../errors.ts';
import { type Line, OutboundAgent, type ConnectionOwner } from '../../lib/outbound-agent.ts';
import { redactor } from '../../lib/redact.ts';
import { checked, cloudUnanswered, cloudUnreachable, whatIn } from './cloud-answers.ts';

export { cloudUnreachable };

/** Where a cloud is, and what lets us in. */
export interface CloudAddress {
  url: string;
  token: string;
}

/** One request to it. */
export interface CloudCall {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Until the answer begins; of a small one, until it is all there. */
  withinMs?: number;
  /** The answer may take hours. */
  isLasting?: boolean;
  /** Asked for twice it may happen twice: whoever gets no answer is told to look first. */
  isOnce?: boolean;
}

export type CloudJson = { status: number; body: unknown };

const answerMs = 60_000;
// It says every fifteen seconds that it is still there while nothing else comes.
const silenceMs = 45_000;
const mostBytes = 4 << 20;
const mostKept = 8;

/** What has become of a request so far. */
type Sending = { isSent: boolean };

/** Speaks to a hosted cloud. Redirects are not followed: the token goes to one place alone. */
export class CloudClient {
  readonly #line: Line;
  readonly #agents = new Map<string, Agent>();

  constructor(line: Line) {
    this.#line = line;
  }

  /** The answer as it comes; whatever keeps it from coming is `cloud_unreachable`. */
  async open(address: CloudAddress, call: CloudCall): Promise<IncomingMessage> {
    const late = AbortSignal.timeout(call.withinMs ?? answerMs);
    const signal = call.signal ? AbortSignal.any([call.signal, late]) : late;
    const sending: Sending = { isSent: false };
    try {
      const answer = await this.#send(address, call, signal, sending);
      answer.setTimeout(silenceMs, () => answer.destroy(new Error('the cloud stopped sending data')));
      return checked(answer);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof AppError) throw error;
      const what = late.aborted ? 'does not respond in time' : whatIn(error);
      throw call.isOnce && sending.isSent ? cloudUnanswered(what, error) : cloudUnreachable(what, error);
    }
  }

  /** A small answer as a whole, without the token should it be in there. */
  async json(address: CloudAddress, call: CloudCall): Promise<CloudJson> {
    const began = performance.now();
    const answer = await this.open(address, call);
    const chunks: Buffer[] = [];
    let bytes = 0;
    // One that comes drop by drop is never silent, and would hold up whoever waits for it.
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
        // Nothing goes over it before both sides know each other.
        if (socket instanceof TLSSocket && !sent.reusedSocket) socket.once('secureConnect', note);
        else note();
      })
      // Without anybody who wants it, it ends without an error and without an answer.
      .once('upgrade', (_, socket) => {
        signal.removeEventListener('abort', stop);
        socket.destroy();
        reject(new Error('switches protocols'));
      })
      .once('response', (answer) => {
        signal.removeEventListener('abort', stop);
        hasBegun = true;
        // From here on only whoever asked can stop it; who asks for long asks often, and is not to keep every answer.
        const end = () => answer.destroy();
        call.signal?.addEventListener('abort', end, { once: true });
        answer.once('close', () => call.signal?.removeEventListener('abort', end));
        resolve(answer);
      })
      .on('error', (error) => {
        signal.removeEventListener('abort', stop);
        // What breaks off in the middle is told to whoever reads it.
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
  ): RequestOptions & ConnectionOwner {
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

  /** What changes something, or lasts, has a connection of its own: one that lay idle may end just when it is used again. */
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
