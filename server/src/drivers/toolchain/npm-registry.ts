import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { AddressError, httpGet } from '../../lib/http/get.ts';
import { certificateTrouble } from '../../lib/outbound.ts';
import { compareVersions, versionPattern } from '../../lib/version-order.ts';

/** The registry cannot be reached, or does not have what was asked for. The message names it. */
export class NpmRegistryError extends Error {
  override name = 'NpmRegistryError';
}

/** A published version: where its archive is, and the SHA-512 of it. */
export type PublishedPackage = { name: string; version: string; tarball: string; integrity: string };

const stalledMs = 60_000;
const mostAnswerBytes = 50_000_000;
const mostBytes = 300_000_000;
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Downloads packages of an npm registry. `environment` has the proxy settings; a failed request is repeated
 * after each pause. */
export class NpmRegistry {
  readonly url: string;
  readonly #pausesMs: number[];
  readonly #environment: Record<string, string>;

  constructor(url: string, environment: Record<string, string> = {}, pausesMs = [1000, 4000]) {
    this.#pausesMs = pausesMs;
    this.url = url.replace(/\/+$/, '');
    this.#environment = environment;
  }

  /** Returns the newest release of a version prefix (`22`, `22.11`, `22.11.0`); undefined if there is none. */
  async find(name: string, prefix: string, signal: AbortSignal): Promise<PublishedPackage | undefined> {
    const isExact = versionPattern.test(prefix);
    // The document of a whole package has megabytes.
    const answer = await this.#json(isExact ? `${name}/${prefix}` : name, signal);
    if (answer === undefined) return undefined;
    if (isExact) return published(name, prefix, answer);
    const versions = recordOf(recordOf(answer)['versions']);
    const newest = Object.keys(versions)
      .filter((each) => /^\d+\.\d+\.\d+$/.test(each) && `${each}.`.startsWith(`${prefix}.`))
      .toSorted(compareVersions)
      .at(-1);
    return newest === undefined ? undefined : published(name, newest, versions[newest]);
  }

  /** Downloads the archive of a version to a new file. Fails if it is not the published one. */
  async download(
    { name, version, tarball, integrity }: PublishedPackage,
    file: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#repeated(signal, async () => {
      const response = await this.#get(new URL(tarball), signal);
      if (response.statusCode !== 200) throw statusOf(tarball, response);
      const hash = createHash('sha512');
      let bytes = 0;
      const hashed = async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > mostBytes) throw new NpmRegistryError(`${tarball} has more than ${mostBytes / 1_000_000} MB`);
          hash.update(chunk);
          yield chunk;
        }
      };
      await pipeline(response, hashed, createWriteStream(file, { mode: 0o600 }), { signal });
      if (`sha512-${hash.digest('base64')}` !== integrity)
        throw new NpmRegistryError(`${name} ${version} of ${tarball} is damaged: its SHA-512 is not the published one`);
    });
  }

  async #json(path: string, signal: AbortSignal): Promise<unknown> {
    const url = new URL(`${this.url}/${path}`);
    return this.#repeated(signal, async () => {
      // The abbreviated document has all that an installation needs.
      const accept = 'application/vnd.npm.install-v1+json, application/json;q=0.8, */*;q=0.5';
      const response = await this.#get(url, signal, { accept, 'accept-encoding': 'gzip' });
      if (response.statusCode === 404) return void response.resume();
      if (response.statusCode !== 200) throw statusOf(url.href, response);
      try {
        return JSON.parse(await textOf(decoded(response))) as unknown;
      } catch (error) {
        if (error instanceof SyntaxError) throw new NpmRegistryError(`${url.href} does not answer with JSON`);
        throw error;
      }
    });
  }

  /** Repeats after errors of the network or of the server. */
  async #repeated<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    for (const pauseMs of this.#pausesMs) {
      try {
        return await act();
      } catch (error) {
        if (signal.aborted || !isPassing(error)) throw readable(error, this.url);
        await sleep(pauseMs, undefined, { signal });
      }
    }
    return act().catch((error: unknown) => {
      throw signal.aborted ? error : readable(error, this.url);
    });
  }

  #get(url: URL, signal: AbortSignal, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const environment = this.#environment;
    return httpGet(url, { environment, signal, stalledMs, headers }).catch((error: Error) => {
      throw error instanceof AddressError ? new NpmRegistryError(error.message, { cause: error }) : error;
    });
  }
}

/** An answer of the server that another attempt may change. */
class PassingError extends NpmRegistryError {}

const statusOf = (url: string, { statusCode }: IncomingMessage): NpmRegistryError =>
  new (statusCode! >= 500 || statusCode === 429 ? PassingError : NpmRegistryError)(
    `${url} responds with status ${statusCode}`,
  );

const isPassing = (error: unknown): boolean => error instanceof PassingError || isNetwork(error);

function readable(error: unknown, url: string): unknown {
  if (!isNetwork(error)) return error;
  const trouble = certificateTrouble(error.code ?? '');
  if (trouble) return new NpmRegistryError(`the certificate of ${url} ${trouble}`, { cause: error });
  // An error of several addresses has no message of its own.
  return new NpmRegistryError(`${url} cannot be reached (${error.message || error.code})`, { cause: error });
}

const ofDisk = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

const isNetwork = (error: unknown): error is NodeJS.ErrnoException => {
  if (!(error instanceof Error) || error instanceof NpmRegistryError || !('code' in error)) return false;
  return error.name !== 'AbortError' && !('path' in error) && !ofDisk.has(String(error.code));
};

const decoded = (response: IncomingMessage): Readable =>
  response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()) : response;

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostAnswerBytes) throw new NpmRegistryError(`the registry sends more than ${mostAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function published(name: string, version: string, document: unknown): PublishedPackage {
  const { tarball, integrity } = recordOf(recordOf(document)['dist']);
  if (typeof tarball !== 'string' || typeof integrity !== 'string' || !sha512.test(integrity))
    throw new NpmRegistryError(`the registry names no SHA-512 of ${name} ${version}`);
  return { name, version, tarball, integrity };
}
