import type { Agent, IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageAgent } from '../http/agent.ts';
import { s3AddressOf, isRegion, type S3Address, type S3Target, usualRegion } from './address.ts';
import { type S3Operation, type S3Refusal, s3Refusal, refusalError, connectionError, s3PlaceOf } from './errors.ts';
import { bodyBytes, sendS3Request, type S3Payload, textOfAnswer } from './exchange.ts';
import { emptySha256, encodedPath, canonicalQuery, signedHeaders } from './sigv4.ts';

export interface S3Call {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Object key; undefined for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  payload?: S3Payload;
  doing: S3Operation;
  /** Whether it may be retried when it is unknown if it arrived. */
  isRepeatable: boolean;
  stallMs?: number;
  signal: AbortSignal;
}

/** Timeouts and retries. */
export interface S3Timeouts {
  connectMs: number;
  stallMs: number;
  attempts: number;
  pauseMs: number;
}

export const defaultS3Timeouts: S3Timeouts = { connectMs: 10_000, stallMs: 20_000, attempts: 4, pauseMs: 200 };

const isPassing = ({ status, code }: S3Refusal) =>
  [429, 500, 502, 503, 504].includes(status) || code === 'RequestTimeout' || code === 'SlowDown';

/** S3 API of one bucket: signs requests, retries them where that helps, converts errors. */
export class S3Client {
  readonly target: S3Target;
  readonly #patience: S3Timeouts;
  readonly #agent: Agent;
  #region: string;

  constructor(target: S3Target, patience: S3Timeouts) {
    this.target = target;
    this.#patience = patience;
    this.#region = target.region ?? usualRegion;
    this.#agent = storageAgent(this.#address.isSecure, target.reach, patience.connectMs);
  }

  get #address(): S3Address {
    return s3AddressOf(this.target, this.#region);
  }

  /** Returns a successful response whose body is still to be read. */
  async open(call: S3Call): Promise<IncomingMessage> {
    const { attempts, pauseMs } = this.#patience;
    let hasMoved = false;
    for (let attempt = 1; ; attempt++) {
      call.signal.throwIfAborted();
      const result = await this.#attempt(call);
      if (!('error' in result)) return result;
      const { error, mayPass, region } = result;
      if (region !== undefined && !hasMoved) {
        this.#region = region;
        hasMoved = true;
        attempt--;
        continue;
      }
      if (!mayPass || attempt >= attempts) throw error;
      await sleep(pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()), undefined, { signal: call.signal });
    }
  }

  /** Returns a short response as text. */
  async text(call: S3Call): Promise<{ text: string; answer: IncomingMessage }> {
    const answer = await this.open(call);
    try {
      return { text: await textOfAnswer(answer, this.#address, call.stallMs ?? this.#patience.stallMs), answer };
    } catch (error) {
      throw connectionError(error, s3PlaceOf(this.target));
    }
  }

  bytes(answer: IncomingMessage): AsyncGenerator<Buffer> {
    return bodyBytes(answer, this.#address, this.#patience.stallMs);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #attempt(call: S3Call): Promise<IncomingMessage | { error: unknown; mayPass: boolean; region?: string }> {
    let answer: IncomingMessage;
    try {
      answer = await this.#send(call);
      if (answer.statusCode! >= 200 && answer.statusCode! < 300) return answer;
    } catch (error) {
      call.signal.throwIfAborted();
      const said = connectionError(error, s3PlaceOf(this.target));
      return { error: said, mayPass: call.isRepeatable && (said as { code?: string }).code === 'unreachable' };
    }
    const stallMs = this.#patience.stallMs;
    // If the error body breaks off, its status is enough.
    const text = await textOfAnswer(answer, this.#address, stallMs).catch(() => '');
    const refusal = s3Refusal(answer.statusCode!, answer.headers, text);
    const { region } = refusal;
    // The server knows the bucket's region. Only the region changes: redirects to other hosts are not followed.
    const isElsewhere = region !== undefined && region !== this.#region && isRegion(region);
    return {
      error: refusalError(refusal, this.target, call.doing),
      mayPass: isPassing(refusal),
      ...(isElsewhere && { region }),
    };
  }

  #send({ method, key, query = {}, headers = {}, payload, stallMs, signal }: S3Call): Promise<IncomingMessage> {
    const address = this.#address;
    const path = address.base + (key === undefined ? '' : `/${encodedPath(key)}`) || '/';
    const search = canonicalQuery(query);
    const sent = { host: address.hostHeader, ...headers, ...(payload && { 'content-md5': payload.md5 }) };
    const payloadSha256 = payload?.sha256 ?? emptySha256;
    const signable = { method, path, query, headers: sent, payloadSha256 };
    return sendS3Request({
      agent: this.#agent,
      address,
      method,
      path: search ? `${path}?${search}` : path,
      headers: signedHeaders(signable, this.target.credentials, this.#region),
      payload: payload ?? (method === 'PUT' || method === 'POST' ? nothing : undefined),
      stallMs: stallMs ?? this.#patience.stallMs,
      signal,
    });
  }
}

/** A length is always sent. */
const nothing: S3Payload = {
  bytes: 0,
  sha256: emptySha256,
  md5: '1B2M2Y8AsgTpgAmY7PhCfg==',
  open: () => Buffer.alloc(0),
};
