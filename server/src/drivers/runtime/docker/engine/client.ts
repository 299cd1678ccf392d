import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineAwayError, NoManagerError } from '../../errors.ts';
import { EngineError } from './errors.ts';

export interface EngineCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  path: string;
  /** Objects are encoded as JSON, as the engine expects its filters. */
  query?: Record<string, string | number | boolean | object>;
  body?: object | Readable;
  headers?: Record<string, string>;
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** Opens a connection to an engine, local or remote. */
export type EngineConnect = () => Duplex;

// Docker 20.10 is the oldest supported version, 28.5 the newest; the client speaks the engine's version in between.
const oldest = 41;
const newest = 51;
const usualDeadlineMs = 60_000;
const mostBytes = 32 * 1024 * 1024;
/** Error messages of the engine are stored with deployments and displayed. */
const longestReason = 4000;

/** Parses `DOCKER_HOST`: a local socket or a TCP port. */
export function engineAt(address: string): EngineConnect {
  const url = new URL(address);
  if (url.protocol === 'unix:') return () => connect({ path: decodeURIComponent(url.pathname) });
  if (url.protocol === 'tcp:') return () => connect({ host: url.hostname, port: Number(url.port || 2375) });
  throw new Error(`the address of an engine begins with unix:// or tcp://, not ${url.protocol}//`);
}

/** Client of the Docker Engine API over plain HTTP. */
export class EngineClient {
  readonly #agent: Agent;
  readonly #onNoManager: (error: NoManagerError) => void;
  #version: Promise<string> | undefined;

  /** `onNoManager` is called before the error is thrown. */
  constructor(connectToEngine: EngineConnect, onNoManager: (error: NoManagerError) => void = () => {}) {
    this.#onNoManager = onNoManager;
    this.#agent = new Agent({ keepAlive: true });
    this.#agent.createConnection = connectToEngine;
  }

  /** Returns the response as JSON; undefined for an empty one. */
  async json<T>(call: EngineCall): Promise<T> {
    const deadline = AbortSignal.timeout(call.deadlineMs ?? usualDeadlineMs);
    const body = await wholeText(await this.#send(await this.#versioned(call), deadline));
    return (body ? parsed(body) : undefined) as T;
  }

  /** Returns the response as a stream, which the caller must read or destroy; the deadline applies to its head. */
  async open(call: EngineCall): Promise<IncomingMessage> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), call.deadlineMs ?? usualDeadlineMs);
    try {
      return await this.#send(await this.#versioned(call), deadline.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns a connection upgraded to the protocol in the header `upgrade`. */
  async upgrade(call: EngineCall): Promise<Duplex> {
    const headers = { ...call.headers, connection: 'Upgrade' };
    const answer = await this.open({ ...call, headers });
    if (answer.statusCode !== 101) throw new EngineError(answer.statusCode!, 'the engine did not switch protocols');
    return answer.socket;
  }

  /** Returns the negotiated API version, such as `v1.41`. */
  version(): Promise<string> {
    this.#version ??= this.#negotiate().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async #negotiate(): Promise<string> {
    const answer = await this.#send({ method: 'GET', path: '/_ping' }, AbortSignal.timeout(5_000));
    await wholeText(answer);
    const offered = Number(String(answer.headers['api-version'] ?? '').replace(/^1\./, ''));
    if (!(offered >= oldest)) throw new Error('the container engine is older than Docker 20.10');
    return `v1.${Math.min(offered, newest)}`;
  }

  /** Resolves if the engine responds now. Negotiates again: a restart may change the version. */
  async ping(): Promise<void> {
    this.#version = undefined;
    await this.version();
  }

  close(): void {
    this.#agent.destroy();
  }

  async #versioned(call: EngineCall): Promise<EngineCall> {
    return { ...call, path: `/${await this.version()}${call.path}` };
  }

  async #send({ method, path, query, body, headers, signal }: EngineCall, deadline: AbortSignal) {
    const isStream = body instanceof Readable;
    let unreadable: Error | undefined;
    const sent = request({
      agent: this.#agent,
      method,
      path: path + searchOf(query),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: { host: 'engine', ...(body && !isStream && { 'content-type': 'application/json' }), ...headers },
    });
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.once('response', resolve);
        sent.once('upgrade', (response, socket, head) => {
          if (head.length) socket.unshift(head);
          resolve(response);
        });
        sent.on('error', reject);
      });
      if (isStream) {
        body.once('error', (error) => (unreadable ??= sent.destroyed ? undefined : error));
        pipeline(body, sent).catch((error: Error) => sent.destroy(error));
      } else sent.end(body && JSON.stringify(body));
      const answer = await answered;
      if (answer.statusCode! >= 400) throw refusalOf(answer.statusCode!, messageOf(await wholeText(answer)));
      return answer;
    } catch (error) {
      if (error instanceof NoManagerError) this.#onNoManager(error);
      if (error instanceof EngineError || error instanceof EngineAwayError || signal?.aborted) throw error;
      // The request body failed, which is not the engine's fault.
      if (unreadable) throw unreadable;
      throw new EngineAwayError(deadline.aborted ? new Error('it takes too long') : error);
    }
  }
}

const noManager =
  /not a swarm manager|does not have a leader|too few managers are online|context deadline exceeded|connection error: desc|rpc error: code = (?:Unavailable|Canceled)|raft: .*(?:lost leader|no elected|is stopped|removed from)/;

const refusalOf = (status: number, message: string): Error =>
  status >= 500 && noManager.test(message) ? new NoManagerError(new Error(message)) : new EngineError(status, message);

/** Bounded, because a remote engine is not trusted. */
async function wholeText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Error(`its response exceeds ${mostBytes / 1024 / 1024} MB`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw new EngineAwayError(error);
  }
  return Buffer.concat(chunks).toString();
}

function searchOf(query: EngineCall['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  return search.size ? `?${search.toString()}` : '';
}

/** Not JSON: a truncated response, or not an engine. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw new EngineAwayError(error);
  }
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message: unknown };
    if (typeof message === 'string') return message.slice(0, longestReason);
  } catch {
    // A proxy in between may respond in its own format.
  }
  return body.slice(0, 500) || 'the engine gave no reason';
}
