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

/** Headers would outweigh what is saved. */
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
  /** After a failure: a full disk is not tried again with each request. */
  pauseMs: 60_000,
};

// Of a bundle of 337 KB: brotli 6 leaves 100 KB in 40 ms, 9 leaves 99 KB in 100 ms, 11 leaves 92 KB in 1 s; gzip 106 KB in 16 ms.
const optionsOf = {
  br: (size: number) => ({
    params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_SIZE_HINT]: size },
  }),
  gz: () => ({ level: 6 }),
};

/** Compressed copies of served files, made at the first request for each and kept on disk up to a limit. Made here and not at
 * deployment, because only what is requested costs anything, releases of earlier versions are covered, nothing is written into the
 * folder of a project, and sites on other machines are not sent twice. */
export class CompressedFiles {
  readonly #folder: string;
  readonly #log: EdgeLog;
  readonly #limits: CompressionLimits;
  /** Bytes of each copy, those used last at the end; 0 for a file that compression does not make smaller. */
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
    // The edge's umask is for files; a folder has to be entered.
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder)) {
      // The edge before this one may still be at work here.
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      if (found) this.#note(name, found.size);
    }
  }

  /** The copy; null where there is none and the plain file is to be sent. `reopen` gives the plain file once more, because a copy may
   * be finished after the request is. */
  async open(plain: OpenFile, coding: Coding, reopen: () => Promise<OpenFile | null>): Promise<OpenFile | null> {
    const name = `${identityOf(plain)}.${coding}`;
    if (!this.#known.has(name)) await Promise.race([this.#make(name, coding, reopen), sleep(this.#limits.patienceMs)]);
    const size = this.#known.get(name);
    if (!size) return null;
    this.#note(name, size);
    try {
      return { ...plain, descriptor: await open(join(this.#folder, name), 'r'), size };
    } catch (error) {
      // An edge that took over, or is about to, has removed it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#forget(name);
      return null;
    }
  }

  /** Once for all who want it, and one file at a time: the other cores are for answering. */
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
      // Its owner may have changed it meanwhile.
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

/** Another one whenever its content may have changed: nobody can set when that was. */
function identityOf({ descriptor }: OpenFile): string {
  const { dev, ino, ctimeNs, size } = fstatSync(descriptor, { bigint: true });
  return [dev, ino, ctimeNs, size].map((each) => each.toString(36)).join('-');
}
