import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A folder that is held open. What is below it is looked up in the folder itself and not by its path: whoever owns
 * things in there may exchange a folder for a link at any moment, and we may be root. It needs Linux (`/proc`). */
export class HeldFolder {
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The way to it must be ours alone; for one that is not, see `path`. */
  static async open(path: string): Promise<HeldFolder> {
    return new HeldFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  }

  /** Where it really is, as the kernel knows it. */
  path(): Promise<string> {
    return readlink(this.#self());
  }

  /** A name in it, for a call that does not follow links at the end. */
  at(name: string): string {
    if (!name || name === '.' || name === '..' || name.includes('/')) throw new Error(`${name} is not a name`);
    return `${this.#self()}/${name}`;
  }

  entries(): Promise<Dirent[]> {
    return readdir(this.#self(), { withFileTypes: true });
  }

  /** The folder of that name; undefined for everything else, links and nothing included. */
  async enter(name: string): Promise<HeldFolder | undefined> {
    try {
      return await HeldFolder.open(this.at(name));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return undefined;
      throw error;
    }
  }

  /** Of the folder itself, whatever stands at its name by now. */
  chmod(mode: number): Promise<void> {
    return this.#handle.chmod(mode);
  }

  chown({ uid, gid }: { uid: number; gid: number }): Promise<void> {
    return this.#handle.chown(uid, gid);
  }

  /** What was made, renamed or removed in it survives a power cut from here on. */
  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #self = (): string => `/proc/self/fd/${this.#handle.fd}`;
}
