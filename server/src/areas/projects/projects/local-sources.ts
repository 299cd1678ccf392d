import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Db } from '../../../db/database.ts';
import { AppError, badRequest, forbidden } from '../../../errors.ts';
import { selectInstance } from '../../access/port.ts';

/** Local folders that projects may be deployed from. */
export interface LocalSourceFolders {
  roots: string[];
  /** Whether the operator configured the roots. The defaults are for the instance owner only. */
  areConfigured: boolean;
  /** Installation folder of Mooring. Its examples may be deployed. */
  programFolder?: string;
}

type Options = LocalSourceFolders & { db: Db; mode: 'self-hosted' | 'cloud'; dataDir: string };

/** A folder that contains one of these is a home folder. */
const keyFolders = ['.ssh', '.gnupg'];

/** Checks local folders of projects. */
export class LocalSources {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** In cloud mode the machine is not the customer's. Checked before any lookup. */
  requireAllowed(): void {
    if (this.#options.mode === 'cloud')
      throw new AppError('local_in_cloud', 'folders of the machine cannot be deployed in cloud mode');
  }

  isFor = ({ isInstanceOwner }: { isInstanceOwner: boolean }): boolean =>
    this.#options.areConfigured || isInstanceOwner;

  requireFor(person: { isInstanceOwner: boolean }): void {
    this.requireAllowed();
    if (!this.isFor(person))
      throw forbidden(
        'only the instance owner may deploy folders of this machine; for others, set MOORING_LOCAL_SOURCE_ROOTS',
      );
  }

  /**
   * Resolves the folder for a deployment of this user, whose permission may have changed since the project was
   * created.
   */
  async resolveFor(userId: string, path: string): Promise<string> {
    const instance = await selectInstance(this.#options.db);
    this.requireFor({ isInstanceOwner: instance?.ownerUserId === userId });
    return this.resolve(path);
  }

  /** Returns the folder with symbolic links resolved. Call it again right before reading: links can change. */
  async resolve(path: string, field = 'source.path'): Promise<string> {
    this.requireAllowed();
    const found = await folderAt(path);
    const roots = await foldersAt(this.#options.roots);
    const holding = found ? roots.filter((root) => isWithin(root, found)) : [];
    // The same message in both cases, so that it does not reveal which folders exist.
    if (!found || !holding.length)
      throw badRequest(
        `${field} must be a folder under ${this.#options.roots.join(', ') || 'MOORING_LOCAL_SOURCE_ROOTS, which is empty'}`,
        field,
      );
    if (holding.every((root) => isHidden(relative(root, found))))
      throw badRequest(`${field} must not be a hidden folder, or be in one`, field);
    await this.#requireNotOurs(found, field);
    await requireNoHome(found, field);
    return found;
  }

  /** Rejects folders within and above the data folder, which holds the instance key and all variables. */
  async #requireNotOurs(found: string, field: string): Promise<void> {
    const { dataDir, programFolder } = this.#options;
    const touches = (folder: string) => isWithin(folder, found) || isWithin(found, folder);
    if ((await foldersAt([dataDir])).some(touches))
      throw badRequest(`${field} must not touch the data folder of Mooring`, field);
    if (!programFolder) return;
    const isExample = (await foldersAt([join(programFolder, 'examples')])).some((folder) => isWithin(folder, found));
    if (!isExample && (await foldersAt([programFolder])).some(touches))
      throw badRequest(`${field} must not touch the folder that Mooring runs from`, field);
  }
}

/** Rejects home folders and folders above them, since everything in the folder is copied. */
async function requireNoHome(found: string, field: string): Promise<void> {
  const isHome = (await foldersAt([homedir()])).some((home) => isWithin(found, home));
  if (isHome || (await foldersAt(keyFolders.map((name) => join(found, name)))).length)
    throw badRequest(`${field} must not be a home folder; choose the folder of one app in it`, field);
}

const isHidden = (way: string): boolean => way.split(sep).some((part) => part.startsWith('.') && part !== '..');

const foldersAt = async (paths: string[]): Promise<string[]> =>
  (await Promise.all(paths.map(folderAt))).filter((folder) => folder !== null);

async function folderAt(path: string): Promise<string | null> {
  try {
    const found = await realpath(path);
    return (await stat(found)).isDirectory() ? found : null;
  } catch {
    // Missing or inaccessible folders are treated alike.
    return null;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}
