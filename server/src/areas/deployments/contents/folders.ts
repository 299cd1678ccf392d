import { createHash } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const longestName = 200;

/** Paths of stored contents in the data directory. */
export class ContentFolders {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  contents = (projectId: string): string => join(this.#dataDir, 'contents', plainName(projectId));
  kept = (projectId: string, digest: string): string => join(this.contents(projectId), requireDigest(digest));
  content = (projectId: string, digest: string): string => join(this.kept(projectId, digest), 'content');
  binds = (projectId: string): string => join(this.#dataDir, 'binds', plainName(projectId));
  bind = (projectId: string, environment: string, path: string): string =>
    join(this.binds(projectId), safeName(environment), safeName(path));

  /** Records the digest that was last copied there. `safeName` escapes `@`, so the name cannot clash with a path. */
  noteOf = (projectId: string, environment: string, path: string): string =>
    join(this.binds(projectId), safeName(environment), `@last-${safeName(path)}`);

  /**
   * Creates the folder and its parents below the data directory. Container users may traverse them but not list them.
   */
  async make(folder: string): Promise<void> {
    if (folder === this.#dataDir) return;
    await this.make(dirname(folder));
    await makeFolderWithMode(folder, 0o711);
  }
}

/** Ignores the umask. Returns false if the folder exists. */
export async function makeFolderWithMode(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
  await chmod(path, mode);
  return true;
}

export const isDigest = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

function requireDigest(digest: string): string {
  if (!isDigest(digest)) throw new Error(`${digest} is not a digest`);
  return digest;
}

function plainName(id: string): string {
  if (!/^[\w-]+$/.test(id)) throw new Error(`${id} is not an id`);
  return id;
}

/** Encodes an arbitrary path as one unique file name. */
function safeName(path: string): string {
  const name = encodeURIComponent(path).replaceAll(/^\.+$/g, (dots) => '%2E'.repeat(dots.length)) || '@root';
  return name.length <= longestName ? name : `@${createHash('sha256').update(path).digest('hex')}`;
}
