// A thread that writes one archive, `tar | zstd | age`, so that the service stays responsive.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { constants, createZstdCompress } from 'node:zlib';
import { AgeWriter, freeBuffer } from './age.ts';
import {
  changedSince,
  type FileOptions,
  fileTar,
  type FolderOptions,
  folderTar,
  type FoundDatabase,
} from './folder-tar.ts';
import { PartSums, type PartSum } from './part-sums.ts';
import { tarEnd } from './writer.ts';

export type PackTask = { file: string; recipients: Uint8Array[] | null; isNew: boolean };

/** Each request has one answer. */
export type PackRequest =
  | { type: 'folder'; options: FolderOptions; part: string | null }
  | { type: 'file'; options: FileOptions; part: string | null }
  | { type: 'tar'; bytes: Uint8Array; length: number }
  | { type: 'changed'; folder: string; sinceMs: number; databases: string[] }
  | { type: 'sums' }
  | { type: 'end' };

export type Skipped = { path: string; why: string };
export type PackAnswer =
  | { type: 'folder'; databases: FoundDatabase[]; skipped: Skipped[] }
  | { type: 'file' }
  | { type: 'tar'; bytes: Uint8Array }
  | { type: 'changed'; paths: string[] }
  | { type: 'sums'; sums: PartSum[] }
  | { type: 'end'; bytes: number }
  /** An error loses its code on the way. */
  | { type: 'failed'; message: string; code: string | undefined };
/** Content that was read from folders and files. */
export type PackProgress = { type: 'read'; bytes: number };

const pieceBytes = 262_144;

const { file, recipients, isNew } = workerData as PackTask;
const fd = openSync(file, isNew ? 'wx' : 'w', 0o600);
const compress = createZstdCompress({
  // With the default of 16 KB, calls of the library take longer than its work.
  chunkSize: pieceBytes,
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
});
const written = write();
// Awaited with each piece, and at the end.
written.catch(() => {});

async function write(): Promise<number> {
  let bytes = 0;
  const store = (chunk: Buffer) => {
    for (let from = 0; from < chunk.length;) from += writeSync(fd, chunk, from);
    bytes += chunk.length;
  };
  const age =
    recipients &&
    new AgeWriter(
      recipients.map((each) => Buffer.from(each)),
      store,
    );
  for await (const chunk of compress as AsyncIterable<Buffer>) {
    if (age) age.add(chunk);
    else store(chunk);
    // zlib takes a new buffer when one is full.
    if (chunk.byteOffset + chunk.length === chunk.buffer.byteLength) freeBuffer(chunk);
  }
  age?.end();
  fsyncSync(fd);
  closeSync(fd);
  return bytes;
}

// One piece is filled while the other is compressed.
let [piece, other] = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
let used = 0;
let compressing: Promise<unknown> = Promise.resolve();

/** Copies the chunk. Returns a promise only if it has to be awaited. */
function add(chunk: Buffer): Promise<void> | undefined {
  const count = chunk.copy(piece, used);
  used += count;
  return used < pieceBytes ? undefined : flush().then(() => add(chunk.subarray(count)));
}

async function flush(): Promise<void> {
  // Ends also if the file cannot be written.
  await Promise.race([compressing, written]);
  const full = piece.subarray(0, used);
  compressing = new Promise((resolve) => compress.write(full, resolve));
  [piece, other, used] = [other, piece, 0];
}

const sums = new PartSums();

/** Adds a tar of what `read` reads. */
async function pack(part: string | null, read: (counting: Counting) => Iterable<Buffer>): Promise<void> {
  let bytes = 0;
  const tell = () => {
    post({ type: 'read', bytes });
    bytes = 0;
  };
  const counting: Counting = {
    onEntry: (entry) => part !== null && sums.add(part, entry),
    onContent(chunk) {
      bytes += chunk.length;
      if (part !== null) sums.content(part, chunk);
    },
  };
  for (const chunk of read(counting)) {
    const full = add(chunk);
    if (!full) continue;
    await full;
    tell();
  }
  tell();
}

type Counting = Pick<Parameters<typeof folderTar>[1], 'onEntry' | 'onContent'>;

async function packFolder(options: FolderOptions, part: string | null): Promise<PackAnswer> {
  const [databases, skipped]: [FoundDatabase[], Skipped[]] = [[], []];
  const onDatabase = (found: FoundDatabase) => databases.push(found);
  const onSkipped = (path: string, why: string) => skipped.push({ path, why });
  await pack(part, (counting) => folderTar(options, { ...counting, onDatabase, onSkipped }));
  return { type: 'folder', databases, skipped };
}

async function answerTo(request: PackRequest): Promise<PackAnswer> {
  switch (request.type) {
    case 'folder':
      return packFolder(request.options, request.part);
    case 'file':
      await pack(request.part, (counting) => fileTar(request.options, counting));
      return { type: 'file' };
    case 'tar':
      await add(Buffer.from(request.bytes.buffer, 0, request.length));
      return { type: 'tar', bytes: request.bytes };
    case 'changed':
      return { type: 'changed', paths: changedSince(request.folder, request.sinceMs, new Set(request.databases)) };
    case 'sums':
      return { type: 'sums', sums: sums.sums() };
    case 'end':
      break;
  }
  await add(tarEnd);
  await flush();
  compress.end();
  return { type: 'end', bytes: await written };
}

function post(message: PackAnswer | PackProgress): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort!.postMessage(message, message.type === 'tar' ? [message.bytes.buffer as ArrayBuffer] : []);
}

parentPort!.on('message', (request: PackRequest) => {
  answerTo(request).then(post, ({ message, code }: NodeJS.ErrnoException) => post({ type: 'failed', message, code }));
});
