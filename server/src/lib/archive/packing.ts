import { Worker } from 'node:worker_threads';
import type { FileOptions, FolderOptions, FoundDatabase } from './folder-tar.ts';
import type { PackAnswer, PackProgress, PackRequest, PackTask } from './pack-thread.ts';
import type { PartSum } from './part-sums.ts';
import { headersOf, paddingOf, tarOf, type WrittenEntry } from './writer.ts';

// The bundle has it as a module beside this one.
const thread = new URL(import.meta.filename.endsWith('.ts') ? './pack-thread.ts' : './pack-thread.js', import.meta.url);
const pieceBytes = 262_144;
/** Buffers are freed early this way: a gigabyte passes through the thread. */
const resourceLimits = { maxYoungGenerationSizeMb: 4 };

type Options = {
  /** Each of these keys can decrypt it; null: not encrypted. */
  recipients: Buffer[] | null;
  /** Fails if the file exists; otherwise replaces it. */
  isNew?: boolean;
  signal?: AbortSignal;
  onBytes?: (bytes: number) => void;
};
type Answer<T extends PackAnswer['type']> = Extract<PackAnswer, { type: T }>;

/** Writes an archive, `tar | zstd | age`, to a file in flat memory. Compression and folders are the work of a thread. */
export class Packing {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #onBytes: (bytes: number) => void;
  #waiting: { resolve: (answer: PackAnswer) => void; reject: (error: unknown) => void } | undefined;
  #failure: { error: unknown } | undefined;

  private constructor(file: string, { recipients, isNew = false, signal, onBytes = () => {} }: Options) {
    const task: PackTask = { file, recipients, isNew };
    this.#worker = new Worker(thread, { workerData: task, env: {}, resourceLimits });
    [this.#signal, this.#onBytes] = [signal, onBytes];
    this.#worker.on('message', (message: PackAnswer | PackProgress) => {
      if (message.type === 'read') this.#onBytes(message.bytes);
      else if (message.type === 'failed') this.#fail(Object.assign(new Error(message.message), { code: message.code }));
      else this.#waiting?.resolve(message);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that packs has ended')));
    signal?.addEventListener('abort', this.#onAbort);
  }

  /** Writes what `fill` adds. Without success, the file is not an archive. Returns its size. */
  static async write(file: string, options: Options, fill: (packing: Packing) => Promise<void>): Promise<number> {
    options.signal?.throwIfAborted();
    const packing = new Packing(file, options);
    try {
      await fill(packing);
      return (await packing.#ask({ type: 'end' })).bytes;
    } finally {
      packing.#signal?.removeEventListener('abort', packing.#onAbort);
      packing.#worker.removeAllListeners();
      await packing.#worker.terminate();
    }
  }

  /** Adds a folder. `part`: the sum that it counts for. */
  folder(options: FolderOptions, part: string | null = null): Promise<Answer<'folder'>> {
    return this.#ask({ type: 'folder', options, part });
  }

  /** Adds a file, which must exist. */
  async file(options: FileOptions, part: string | null = null): Promise<void> {
    await this.#ask({ type: 'file', options, part });
  }

  /** Adds a small file with this text, which does not count as content. */
  text(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const facts = { path, type: 'file' as const, mode: 0o600, size: bytes.length, modifiedMs: Date.now(), target: '' };
    return this.#send([headersOf(facts), bytes, Buffer.alloc(paddingOf(bytes.length))]);
  }

  /** Adds entries. */
  entries(entries: AsyncIterable<WrittenEntry> | Iterable<WrittenEntry>): Promise<void> {
    return this.#send(tarOf(counted(entries, this.#onBytes)));
  }

  async #send(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    // One is filled while the thread has the other.
    let [buffer, used]: [Uint8Array, number] = [new Uint8Array(pieceBytes), 0];
    let sent: Promise<Answer<'tar'>> = Promise.resolve({ type: 'tar', bytes: new Uint8Array(pieceBytes) });
    const send = async () => {
      const { bytes } = await sent;
      sent = this.#ask({ type: 'tar', bytes: buffer, length: used }, [buffer.buffer as ArrayBuffer]);
      // Awaited with the next piece, or below.
      sent.catch(() => {});
      [buffer, used] = [bytes, 0];
    };
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length;) {
        const count = chunk.copy(buffer, used, at);
        [at, used] = [at + count, used + count];
        if (used === pieceBytes) await send();
      }
    await send();
    await sent;
  }

  /** Returns the paths of some files of a folder that changed since a time, other than these databases. */
  async changedSince(folder: string, sinceMs: number, databases: FoundDatabase[]): Promise<string[]> {
    const paths = databases.map(({ path }) => path);
    return (await this.#ask({ type: 'changed', folder, sinceMs, databases: paths })).paths;
  }

  /** Returns the sums of the parts so far. */
  async sums(): Promise<PartSum[]> {
    return (await this.#ask({ type: 'sums' })).sums;
  }

  #ask<T extends PackRequest & { type: PackAnswer['type'] }>(
    request: T,
    transferred: ArrayBuffer[] = [],
  ): Promise<Answer<T['type']>> {
    return new Promise<PackAnswer>((resolve, reject) => {
      if (this.#failure) throw this.#failure.error;
      this.#waiting = { resolve, reject };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      this.#worker.postMessage(request, transferred);
    }) as Promise<Answer<T['type']>>;
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#waiting?.reject(this.#failure.error);
  }

  #onAbort = (): void => this.#fail(this.#signal!.reason);
}

async function* counted(
  entries: AsyncIterable<WrittenEntry> | Iterable<WrittenEntry>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<WrittenEntry> {
  for await (const entry of entries)
    yield {
      ...entry,
      async *content() {
        for await (const chunk of entry.content()) {
          onBytes(chunk.length);
          yield chunk;
        }
      },
    };
}
