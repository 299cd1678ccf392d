import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { AppError, badRequest } from '../../../errors.ts';

/** Folders of this machine that a project may be deployed from. */
export class LocalSources {
  readonly #mode: 'self-hosted' | 'cloud';
  readonly #roots: string[];
  readonly #dataDir: string;

  constructor(mode: 'self-hosted' | 'cloud', roots: string[], dataDir: string) {
    this.#mode = mode;
    this.#roots = roots;
    this.#dataDir = dataDir;
  }

  /** In cloud mode the machine is not the customer's. Asked before anything is looked up. */
  requireAllowed(): void {
    if (this.#mode === 'cloud')
      throw new AppError('local_in_cloud', 'folders of the machine cannot be deployed in cloud mode');
  }

  /** The folder with every link followed. Ask again right before it is read: links can change. */
  async resolve(path: string, field = 'source.path'): Promise<string> {
    this.requireAllowed();
    const found = await folderAt(path);
    const roots = await Promise.all(this.#roots.map(folderAt));
    const dataDir = await folderAt(this.#dataDir);
    // One sentence for all, so that nobody learns which folders exist elsewhere.
    const allowed = found && roots.some((root) => root && isWithin(root, found));
    if (!allowed)
      throw badRequest(
        `${field} must be a folder under ${this.#roots.join(', ') || 'no folder: none is configured'}`,
        field,
      );
    // Neither a part of it nor what holds it: our key and everybody's variables are in there.
    if (dataDir && (isWithin(dataDir, found) || isWithin(found, dataDir)))
      throw badRequest(`${field} must not touch the data folder of Mooring`, field);
    return found;
  }
}

async function folderAt(path: string): Promise<string | null> {
  try {
    const found = await realpath(path);
    return (await stat(found)).isDirectory() ? found : null;
  } catch {
    // Not there, or not for us to see: the answer is the same.
    return null;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}
