import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A folder that is held open. Entries are looked up in the folder itself and not by its path: their owner may swap a
 * folder for a symlink at any moment, and we may be root. Requires Linux (`/proc`). */
export class HeldFolder {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The path must be ours alone; otherwise check `path`. */
  static async open(path: string): Promise<HeldFolder> {
    return new HeldFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** Returns the real path according to the kernel. */
  path(): Promise<string> {
    return readlink(this.#self());
  }

  /** Returns the path of an entry, for calls that do not follow a final symlink. */
  at(name: string): string {
    if (!name || name === '.' || name === '..' || name.includes('/')) throw new Error(`${name} is not a name`);
    return `${this.#self()}/${name}`;
  }

  entries(): Promise<Dirent[]> {
    return readdir(this.#self(), { withFileTypes: true });
  }

  /** Opens a subfolder; undefined for anything else, including symlinks and missing names. */
  async enter(name: string): Promise<HeldFolder | undefined> {
    try {
      return await HeldFolder.open(this.at(name));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return undefined;
      throw error;
    }
  }

  /** Applies to the folder itself, whatever has its name by now. */
  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  chown({ uid, gid }: { uid: number; gid: number }): Promise<void> {
    return this.#handle.chown(uid, gid);
  }

  /** Makes changes to its entries durable. */
  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #self = (): string => `/proc/self/fd/${this.#handle.fd}`;
}
