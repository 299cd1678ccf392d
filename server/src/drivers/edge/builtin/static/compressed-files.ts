import { chmodSync, closeSync, fstatSync, mkdirSync, open as openWithCallback, readdirSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type EdgeLog, logFailure } from '../log.ts';
import type { Coding } from './accept-encoding.ts';
import { type OpenFile, readWhole } from './files.ts';

const open = promisify(openWithCallback);
const compressBy = { br: promisify(brotliCompress), gz: promisify(gzip) };

/** Below this size the headers outweigh the savings. */
export const leastBytes = 1024;
/** Larger files would keep a core busy for seconds. */
export const mostBytes = 10_000_000;

export type CompressionLimits = {
  totalBytes: number;
  files: number;
  waiting: number;
  patienceMs: number;
  pauseMs: number;
};

const usualLimits: CompressionLimits = {
  totalBytes: 256_000_000,
  files: 20_000,
  waiting: 64,
  /** After this a request gets the plain file, and a later one the compressed file. */
  patienceMs: 500,
  /** After a failure, so that a full disk is not retried with each request. */
  pauseMs: 60_000,
};

// Measured with a 337 KB bundle: brotli 6 gives 100 KB in 40 ms, 9 gives 99 KB in 100 ms, 11 gives 92 KB in 1 s; gzip
// 106 KB in 16 ms.
const optionsOf = {
  br: (size: number) => ({
    params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: size },
  }),
  gz: () => ({ level: 6 }),
};

/** Compressed copies of served files, created on first request and kept on disk up to a limit. Created here rather
 * than at deployment: only requested files cost anything, earlier releases are covered, project folders stay
 * untouched, and sites on other servers are not uploaded twice. */
export class CompressedFiles {
  readonly #folder: string;
  readonly #log: EdgeLog;
  readonly #limits: CompressionLimits;
  /** Bytes of each copy, least recently used first; 0 for a file that compression does not shrink. */
  readonly #known = new Map<string, number>();
  readonly #making = new Map<string, Promise<void>>();
  #last: Promise<void> = Promise.resolve();
  #bytes = 0;
  #pausedUntil = 0;

  constructor(folder: string, log: EdgeLog, limits: Partial<CompressionLimits> = {}) {
    this.#folder = folder;
    this.#log = log;
    this.#limits = { ...usualLimits, ...limits };
    mkdirSync(folder, { recursive: true });
    // The edge's umask is for files; a folder needs the execute bit.
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder)) {
      // The predecessor may still be deleting files here.
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      if (found) this.#note(name, found.size);
    }
  }

  /** Opens the compressed copy, or returns null if the plain file is to be sent. `reopen` opens the plain file again,
   * because compression may outlast the request. */
  async open(plain: OpenFile, coding: Coding, reopen: () => Promise<OpenFile | null>): Promise<OpenFile | null> {
    const name = `${identityOf(plain)}.${coding}`;
    if (!this.#known.has(name)) await Promise.race([this.#make(name, coding, reopen), sleep(this.#limits.patienceMs)]);
    const size = this.#known.get(name);
    if (!size) return null;
    this.#note(name, size);
    try {
      return { ...plain, descriptor: await open(join(this.#folder, name), 'r'), size };
    } catch (error) {
      // The predecessor or successor has evicted it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#forget(name);
      return null;
    }
  }

  /** One job per copy, and one file at a time: the other cores are for requests. */
  #make(name: string, coding: Coding, reopen: () => Promise<OpenFile | null>): Promise<void> {
    const underWay = this.#making.get(name);
    if (underWay) return underWay;
    if (this.#making.size >= this.#limits.waiting || Date.now() < this.#pausedUntil) return Promise.resolve();
    const made = this.#last
      .then(() => this.#compress(name, coding, reopen))
      .catch((error: unknown) => {
        this.#pausedUntil = Date.now() + this.#limits.pauseMs;
        logFailure(this.#log, 'compressing a file failed')(error);
      })
      .finally(() => this.#making.delete(name));
    this.#making.set(name, made);
    this.#last = made;
    return made;
  }

  async #compress(name: string, coding: Coding, reopen: () => Promise<OpenFile | null>): Promise<void> {
    const plain = await reopen();
    if (!plain) return;
    try {
      const content = await readWhole(plain);
      const packed = await compressBy[coding](content, optionsOf[coding](content.length));
      // The file may have changed meanwhile.
      if (`${identityOf(plain)}.${coding}` !== name) return;
      await this.#store(name, packed.length < content.length * 0.95 ? packed : Buffer.alloc(0));
    } finally {
      closeSync(plain.descriptor);
    }
  }

  async #store(name: string, content: Buffer): Promise<void> {
    const path = join(this.#folder, name);
    const draft = `${path}-${process.pid}`;
    try {
      await writeFile(draft, content);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    this.#note(name, content.length);
    for (const oldest of this.#known.keys()) {
      if (this.#bytes <= this.#limits.totalBytes && this.#known.size <= this.#limits.files) break;
      this.#forget(oldest);
      await rm(join(this.#folder, oldest), { force: true });
    }
  }

  #note(name: string, bytes: number): void {
    this.#forget(name);
    this.#known.set(name, bytes);
    this.#bytes += bytes;
  }

  #forget(name: string): void {
    this.#bytes -= this.#known.get(name) ?? 0;
    this.#known.delete(name);
  }
}

/** Changes whenever the content may have changed: users cannot set the ctime. */
function identityOf({ descriptor }: OpenFile): string {
  const { dev, ino, ctimeNs, size } = fstatSync(descriptor, { bigint: true });
  return [dev, ino, ctimeNs, size].map((each) => each.toString(36)).join('-');
}
