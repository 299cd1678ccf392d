import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import type { Parts } from '../../model/parts.ts';
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, COPYFILE_FICLONE } = constants;

/** SHA-512 in hexadecimal. */
const digestPattern = /^[0-9a-f]{128}$/;
/** A longer list is cleared, and the packages are downloaded once more. */
const mostListed = 20_000;
const unusedMs = 30 * 86_400_000;

export type PackageStoreLimits = { totalBytes: number };

/**
 * Packages of an organization by the SHA-512 of their content. Only the service writes here, after computing the
 * digest itself, so that no project can replace a package.
 */
export class PackageStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #fileOf = (digest: string): string => join(this.#folder, 'sha512', digest.slice(0, 2), digest.slice(2));
  #listOf = (projectId: string): string => join(this.#folder, 'projects', projectId);

  /**
   * Puts a stored package at `target`: as a hard link for a user who cannot change it, or else as a copy. False if it
   * is not stored.
   */
  async lend(digest: string, target: string, isOwn: boolean): Promise<boolean> {
    try {
      const now = new Date();
      await utimes(this.#fileOf(digest), now, now);
      await mkdir(dirname(target), { recursive: true });
      await (isOwn ? copyFile(this.#fileOf(digest), target, COPYFILE_FICLONE) : link(this.#fileOf(digest), target));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  /** Stores a file if its content matches its digest. Copies it, because its owner may have it open. */
  async take(digest: string, path: string): Promise<boolean> {
    if (!digestPattern.test(digest)) return false;
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
    if (!handle) return false;
    try {
      const [given, stored] = [await handle.stat(), await stat(this.#fileOf(digest)).catch(() => undefined)];
      if (!given.isFile()) return false;
      // Stored already; npm verifies the content that it reads.
      return given.size === stored?.size || (await this.#copy(digest, handle));
    } finally {
      await handle.close();
    }
  }

  async #copy(digest: string, handle: FileHandle): Promise<boolean> {
    const file = this.#fileOf(digest);
    const draft = `${file}-${process.hrtime.bigint()}`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    try {
      if ((await copyHashed(handle, draft, createHash('sha512'))) !== digest) return false;
      await rename(draft, file);
      return true;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Digests of packages that the project's last build used. */
  async listed(projectId: string): Promise<string[]> {
    const text = await readFile(this.#listOf(projectId), 'utf8').catch(ifMissing(''));
    return text.split('\n').filter((line) => digestPattern.test(line));
  }

  async list(projectId: string, digests: string[]): Promise<void> {
    await mkdir(dirname(this.#listOf(projectId)), { recursive: true, mode: 0o700 });
    await writeFile(this.#listOf(projectId), digests.length > mostListed ? '' : digests.join('\n'));
  }

  forget = (projectId: string): Promise<void> => rm(this.#listOf(projectId), { force: true });

  /** Removes packages that were unused for a month, and the least recently used ones above the size limit. */
  async prune({ totalBytes }: PackageStoreLimits): Promise<void> {
    const all: { path: string; size: number; usedAt: number }[] = [];
    const top = join(this.#folder, 'sha512');
    for (const folder of await readdir(top).catch(ifMissing([])))
      for (const name of await readdir(join(top, folder))) {
        const path = join(top, folder, name);
        const { size, mtimeMs } = await stat(path);
        all.push({ path, size, usedAt: mtimeMs });
      }
    let bytes = 0;
    for (const { path, size, usedAt } of all.toSorted((one, other) => other.usedAt - one.usedAt)) {
      bytes += size;
      if (bytes > totalBytes || usedAt < Date.now() - unusedMs) await rm(path, { force: true });
    }
  }
}

/** Returns the digest of the copied content. */
async function copyHashed(from: FileHandle, to: string, hash: Hash): Promise<string> {
  // Project users can read it, but reach it only through links in their own folders.
  const copy = await open(to, 'wx', 0o644);
  try {
    await copy.chmod(0o644);
    for await (const chunk of from.createReadStream({ autoClose: false })) {
      hash.update(chunk as Buffer);
      await copy.write(chunk as Buffer);
    }
  } finally {
    await copy.close();
  }
  return hash.digest('hex');
}

const ifMissing =
  <T>(instead: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code !== 'ENOENT') throw error;
    return instead;
  };

const everyMs = 3_600_000;
/** Per organization. */
const limits = { totalBytes: 5_000_000_000 };

/** Returns an upkeep task that prunes the package stores every hour. */
export function prunePackages(): (deps: { parts: Parts }) => Promise<void> {
  let last = Date.now();
  return async ({ parts: { folders } }) => {
    if (Date.now() - last < everyMs) return;
    last = Date.now();
    const organizations = await readdir(folders.allPackages()).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    for (const each of organizations) await new PackageStore(folders.packages(each)).prune(limits);
  };
}
