import { posix } from 'node:path';
import type { SourceTree } from '../../../detect/detect.ts';
import { FileProblem, type ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';

const mostBytesOfFile = 1024 * 1024;

/** Limits of what one scan may read on a machine. */
export interface Budget {
  files: number;
  bytes: number;
}

/** Reads files of a project on a machine. Symbolic links must not leave the project's folders. */
export class MachineFiles {
  readonly #files: ReadOnlyFiles;
  readonly #budget: Budget;
  readonly #folders: Promise<string[]>;
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(files: ReadOnlyFiles, folders: readonly string[], budget: Budget) {
    this.#files = files;
    this.#budget = budget;
    const real = async (folder: string) => (await files.realPath(folder).catch(ignored)) ?? folder;
    this.#folders = Promise.all([...new Set(folders)].map(real));
  }

  /** Returns the text of a file by its absolute path; undefined if it does not exist. Each file is read once. */
  text(path: string): Promise<string | undefined> {
    const known = this.#known.get(path);
    if (known) return known;
    const reading = this.#read(path);
    // Prevents an unhandled rejection; callers still get the error.
    reading.catch(() => {});
    this.#known.set(path, reading);
    return reading;
  }

  async #read(path: string): Promise<string | undefined> {
    const real = await this.#files.realPath(path);
    if (real === undefined) return undefined;
    const found = await this.#files.look(real);
    if (!found) return undefined;
    if (!(await this.#folders).some((folder) => isPathInside(real, folder)))
      throw new FileProblem('is a symbolic link that leaves the project folder');
    if (found.kind !== 'file') throw new FileProblem('is not a file');
    if (found.size > mostBytesOfFile) throw new FileProblem('is larger than 1 MB');
    if (--this.#budget.files < 0 || (this.#budget.bytes -= found.size) < 0)
      throw new FileProblem('was not read: this machine has too many compose files');
    return (await this.#files.read(real, mostBytesOfFile))?.toString();
  }

  /** Returns a source tree for the parser. */
  tree(root: string): SourceTree {
    return {
      read: (path) => this.text(posix.join(root, path)),
      list: async (folder) => {
        const real = await this.#files.realPath(posix.join(root, folder));
        const isOurs = real !== undefined && (await this.#folders).some((each) => isPathInside(real, each));
        return isOurs ? this.#files.list(real) : [];
      },
    };
  }
}

export const isPathInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

const ignored = (error: unknown): undefined => {
  // An inaccessible folder has no readable files; reading those reports the error.
  if (error instanceof FileProblem) return undefined;
  throw error;
};
