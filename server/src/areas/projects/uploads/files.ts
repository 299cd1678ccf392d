import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { DatabaseKind, Db, Sql } from '../../../db/database.ts';
import { AppError, badRequest } from '../../../errors.ts';
import { UploadChunks } from './chunks.ts';

export const maxUploadBytes = 300_000_000;
const stallMs = 60_000;

const tooLarge = () => new AppError('too_large', `an upload has at most ${maxUploadBytes / 1e6} MB`);

export type ReceivedFile = { size: number; sha256: string };

/** Uploaded archives. They are received as drafts on the local disk; `keep` puts them where they stay. */
export type UploadArchives = Pick<UploadFiles, 'receive' | 'readDraft' | 'keep' | 'remove' | 'olderThan'> & {
  read(id: string): Promise<Readable>;
  /** Whether every replica can read it. */
  isShared(id: string, sql: Sql): Promise<boolean>;
};

/** Archives stay on the local disk with SQLite. With PostgreSQL they go to the database, for all replicas. */
export function uploadArchives({ db, kind }: { db: Db; kind: DatabaseKind }, dataDir: string): UploadArchives {
  const files = new UploadFiles(dataDir);
  if (kind === 'sqlite') return files;
  const chunks = new UploadChunks(db);
  return {
    receive: (id, raw, announced, until) => files.receive(id, raw, announced, until),
    readDraft: files.readDraft,
    async keep(id) {
      await chunks.put(id, files.readDraft(id));
      await files.remove(id);
    },
    // Archives of earlier versions are on the disk.
    read: async (id) => (await chunks.open(id)) ?? files.read(id),
    isShared: chunks.has,
    async remove(id) {
      await chunks.remove(id);
      await files.remove(id);
    },
    olderThan: (before) => files.olderThan(before),
  };
}

/** Uploaded archives on the local disk, named by session. */
export class UploadFiles {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'uploads');
  }

  /** Writes the body to a draft file and syncs it to disk. */
  async receive(id: string, raw: Readable, announced: number, until: number): Promise<ReceivedFile> {
    if (announced > maxUploadBytes) throw tooLarge();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = await open(this.#draft(id), 'w', 0o600);
    try {
      const received = await copyTo(raw, until, (chunk) => file.writeFile(chunk));
      await file.sync();
      return received;
    } catch (error) {
      throw uploadErrorOf(error);
    } finally {
      await file.close();
    }
  }

  readDraft = (id: string): ReadStream => createReadStream(this.#draft(id));

  /** Renames the draft and syncs the folder, so that the archive survives a crash. */
  async keep(id: string): Promise<void> {
    await rename(this.#draft(id), this.#path(id));
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async read(id: string): Promise<ReadStream> {
    const file = await open(this.#path(id), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw badRequest('the uploaded archive has expired; upload the folder again');
      throw error;
    });
    return file.createReadStream();
  }

  isShared = async (): Promise<boolean> => false;

  async remove(id: string): Promise<void> {
    await rm(this.#draft(id), { force: true });
    await rm(this.#path(id), { force: true });
  }

  /** Returns the ids of files not modified since `before`. */
  async olderThan(before: number): Promise<string[]> {
    const ids = new Set<string>();
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const id = /^(upl_[0-9a-z]+)\.tar\.gz(\.draft)?$/.exec(name)?.[1];
      const found = id && (await stat(join(this.#folder, name)).catch(() => undefined));
      if (found && found.mtimeMs < before) ids.add(id);
    }
    return [...ids];
  }

  #path(id: string): string {
    // Ids come from our own rows; this guards the path.
    if (!/^upl_[0-9a-z]+$/.test(id)) throw new Error(`${id} is not an upload id`);
    return join(this.#folder, `${id}.tar.gz`);
  }

  #draft = (id: string): string => `${this.#path(id)}.draft`;
}

/**
 * Reads to the end within limits of size and time. Leaves the stream open on error, so that the client still gets a
 * response.
 */
async function copyTo(raw: Readable, until: number, write: (chunk: Buffer) => Promise<void>): Promise<ReceivedFile> {
  const sha256 = createHash('sha256');
  let size = 0;
  const stalled = setTimeout(() => raw.destroy(badRequest('the upload stalled')), stallMs);
  try {
    for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      stalled.refresh();
      size += chunk.length;
      if (size > maxUploadBytes) throw tooLarge();
      if (Date.now() > until) throw badRequest('the upload took longer than its session is valid');
      sha256.update(chunk);
      await write(chunk);
    }
  } finally {
    clearTimeout(stalled);
  }
  return { size, sha256: sha256.digest('hex') };
}

/** Maps stream and disk errors to messages for the caller. */
export function uploadErrorOf(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(code))
    return badRequest('the upload was interrupted');
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('unavailable', 'the disk is full', { cause: error });
  return error;
}
