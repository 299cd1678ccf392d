import type { WritableFolder, Contents, FileContent, FileOwner } from '../model/contents.ts';
import { randomBytes } from 'node:crypto';
import { lstat, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { StepError } from '../model/model.ts';
import { prepareFile } from './files.ts';
import { ContentFolders, isDigest, makeFolderWithMode } from './folders.ts';
import { changedWhileRead, withSource } from './source.ts';
import { sharedFolderMode, mirrorFolder } from './sync.ts';
import { digestTree } from './tree.ts';

/** Recent content may belong to a deployment that has not recorded it yet. */
const usualGraceMs = 3_600_000;

/**
 * Stores files and folders of sources that containers mount, by content digest. Entries are complete and immutable.
 */
export class KeptContents implements Contents {
  readonly #places: ContentFolders;
  /** Prevents removal between the check for existing content and the update of its timestamp. */
  readonly #alone = limitConcurrency(1);

  constructor(dataDir: string) {
    this.#places = new ContentFolders(dataDir);
  }

  /** Returns null if the source does not have the path. A link that leads out of the source counts as missing. */
  async digestOf(releaseFolder: string, path: string): Promise<string | null> {
    return withSource(releaseFolder, path, async (opened) => (opened ? digestTree(opened) : null));
  }

  /** Stores the content that `digestOf` has digested; fails if it has changed since. */
  async keep(projectId: string, releaseFolder: string, path: string, digest: string): Promise<void> {
    await this.#put(projectId, digest, async (to) => {
      const copied = await withSource(releaseFolder, path, async (opened) => opened && digestTree(opened, to));
      if (copied !== digest) throw changedWhileRead(path);
    });
  }

  /** Stores a config or a secret with the owner and permissions that its service declares. */
  async keepFile(projectId: string, from: FileContent, owner: FileOwner): Promise<{ digest: string; path: string }> {
    const { digest, write } = await prepareFile(from, owner);
    await this.#put(projectId, digest, write);
    return { digest, path: this.path(projectId, digest) };
  }

  /** Path to mount. Containers must not write to it. */
  path = (projectId: string, digest: string): string => this.#places.content(projectId, digest);

  has = async (projectId: string, digest: string): Promise<boolean> =>
    (await this.kindOf(projectId, digest)) !== undefined;

  async kindOf(projectId: string, digest: string): Promise<'file' | 'folder' | undefined> {
    const stats = await ifThere(lstat(this.path(projectId, digest)));
    return stats && (stats.isDirectory() ? 'folder' : 'file');
  }

  /**
   * Returns the writable folder to mount, with the stored files copied over its content. If the same source was copied
   * last time, the folder stays as the containers left it.
   */
  async materialize({ projectId, environment, path, digest }: WritableFolder): Promise<string> {
    const folder = this.#places.bind(projectId, environment, path);
    await this.#places.make(join(folder, '..'));
    await makeFolderWithMode(folder, sharedFolderMode);
    const note = this.#places.noteOf(projectId, environment, path);
    if (digest === null || (await ifThere(readFile(note, 'utf8'))) === digest) return folder;
    await rm(note, { force: true });
    await mirrorFolder(this.path(projectId, digest), folder).catch((error: NodeJS.ErrnoException) => {
      throw ['EACCES', 'EPERM'].includes(error.code ?? '') ? closed(path) : error;
    });
    await writeFile(note, digest);
    return folder;
  }

  /** Also removes leftovers of killed attempts. */
  async removeUnused(projectId: string, inUse: Iterable<string>, graceMs = usualGraceMs): Promise<void> {
    const [folder, used] = [this.#places.contents(projectId), new Set(inUse)];
    for (const name of (await ifThere(readdir(folder))) ?? []) {
      if (isDigest(name) ? !used.has(name) : name.startsWith('new-')) await this.#remove(folder, name, graceMs);
      else if (name.startsWith('old-')) await removeTree(join(folder, name));
    }
  }

  async removeProject(projectId: string, { binds }: { binds: boolean }): Promise<void> {
    await removeTree(this.#places.contents(projectId));
    if (binds) await removeTree(this.#places.binds(projectId));
  }

  /** Renames before removing, so that half-removed content never looks complete. */
  async #remove(folder: string, name: string, graceMs: number): Promise<void> {
    const aside = join(folder, `old-${randomBytes(8).toString('hex')}`);
    const isGone = await this.#alone(async () => {
      const stats = await ifThere(lstat(join(folder, name)));
      if (!stats || Date.now() - stats.mtimeMs < graceMs) return false;
      await rename(join(folder, name), aside);
      return true;
    });
    if (isGone) await removeTree(aside);
  }

  async #put(projectId: string, digest: string, write: (to: string) => Promise<void>): Promise<void> {
    const [place, now] = [this.#places.kept(projectId, digest), new Date()];
    if (await this.#alone(async () => (await ifThere(utimes(place, now, now).then(() => true))) ?? false)) return;
    const unfinished = join(place, '..', `new-${randomBytes(8).toString('hex')}`);
    await this.#places.make(unfinished);
    try {
      await write(join(unfinished, 'content'));
      await rename(unfinished, place);
    } catch (error) {
      await removeTree(unfinished);
      // A concurrent call has stored the same content.
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

/** Happens only without root: a container has changed the owner of the folder. */
const closed = (path: string) =>
  new StepError(
    'bind_refused',
    `the files of ${path} cannot be written: their folder now belongs to a container user`,
    'Mount files of the source read-only and outside folders that the container writes to, or run the service as root.',
  );

async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
