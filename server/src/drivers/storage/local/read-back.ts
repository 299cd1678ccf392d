import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ObjectDigest } from '../verify.ts';
import type { ReadBackResult, FlushedProgress } from './read-back-thread.ts';

// Flushed and read back in steps of this size while the next is written. A shorter file is read back at its end.
const stepBytes = 64 * 1024 * 1024;
// The bundle has it as a module beside this one.
const name = import.meta.filename.endsWith('.ts') ? './read-back-thread.ts' : './read-back-thread.js';

/** Reads a long file back in a thread, step by step as it reaches the disk. */
export class ReadBack {
  readonly #file: FileHandle;
  #worker: Worker | undefined;
  #found: Promise<ObjectDigest> | undefined;
  #flushing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;
  #told = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Whether the file is long enough for a thread. */
  get hasBegun(): boolean {
    return this.#worker !== undefined;
  }

  /** Reports the bytes written so far. */
  follow(written: number): void {
    if (this.#flushing || written - this.#told < stepBytes) return;
    this.#told = written;
    this.#begin();
    this.#flushing = this.#flush(written).finally(() => (this.#flushing = undefined));
  }

  async #flush(written: number): Promise<void> {
    try {
      await this.#file.datasync();
      this.#tell({ upTo: written });
    } catch (error) {
      // Linux reports a failing disk only once: the last flush might not fail.
      this.#failure ??= { error };
    }
  }

  /** Returns the digest of the whole file, which must be flushed. */
  async digest(): Promise<ObjectDigest> {
    await this.#flushing;
    if (this.#failure) throw this.#failure.error;
    this.#tell({ isWhole: true });
    return this.#found!;
  }

  /** Stops before the file is closed: its descriptor may soon be another file's. */
  async stop(): Promise<void> {
    await this.#flushing;
    await this.#worker?.terminate();
  }

  #begin(): void {
    if (this.#worker) return;
    const worker = new Worker(new URL(name, import.meta.url), { workerData: { fd: this.#file.fd }, env: {} });
    this.#worker = worker;
    this.#found = new Promise((resolve, reject) => {
      worker.once('message', (found: ReadBackResult) =>
        'digest' in found ? resolve(found.digest) : reject(found.error),
      );
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that reads back has ended')));
    });
    // Awaited at the end, or not needed any more.
    this.#found.catch(() => {});
  }

  #tell(told: FlushedProgress): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.#worker!.postMessage(told);
  }
}
