import { constants } from 'node:fs';
import { chmod, chown, lchown, lutimes, mkdir, open, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiveError, type ArchiveEntry } from '../lib/archive/reader.ts';
import { safeNames } from '../lib/archive/tree.ts';
import type { Manifest } from './manifest.ts';
import type { EntrySink } from './read-archive.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/** Unpacks into an empty folder, with numeric owners where this process may set them. Links and the modes of folders
 * come last: until then there is no link to write through, and every folder can be written. */
export class FolderSink implements EntrySink {
  readonly #folder: string;
  readonly #onManifest: (manifest: Manifest) => Promise<void>;
  readonly #setsOwners = process.getuid?.() === 0;
  /** The user of the service, in the archive and here. */
  readonly #serviceUser: Owner;
  #serviceUserThen: Owner | undefined;
  readonly #links: Later[] = [];
  readonly #folders: Later[] = [];
  readonly #made = new Set<string>();

  constructor(folder: string, serviceUser: Owner, onManifest: (manifest: Manifest) => Promise<void>) {
    [this.#folder, this.#serviceUser, this.#onManifest] = [folder, serviceUser, onManifest];
  }

  begin(manifest: Manifest): Promise<void> {
    this.#serviceUserThen = manifest.owner;
    return this.#onManifest(manifest);
  }

  async entry(entry: ArchiveEntry, content: () => AsyncIterable<Buffer>): Promise<void> {
    const path = join(this.#folder, ...safeNames(entry.path));
    const { type, target, mode, modifiedMs } = entry;
    const later = { path, target, mode, owner: this.#ownerOf(entry), modifiedMs };
    await this.#make(type === 'folder' ? path : dirname(path));
    if (type === 'folder') this.#folders.push(later);
    else if (type === 'symlink') this.#links.push(later);
    else if (type === 'file') await this.#write(later, content());
    else throw new ArchiveError(`the archive has an entry of an unexpected kind: ${entry.path}`);
  }

  /** Called once the whole archive was read and verified. */
  async finish(): Promise<void> {
    for (const { path, target, owner, modifiedMs } of this.#links) {
      await symlink(target, path);
      if (this.#setsOwners) await lchown(path, owner.uid, owner.gid);
      await lutimes(path, modifiedMs / 1000, modifiedMs / 1000);
    }
    for (const { path, mode, owner, modifiedMs } of this.#folders.toReversed()) {
      if (this.#setsOwners) await chown(path, owner.uid, owner.gid);
      await chmod(path, mode);
      await lutimes(path, modifiedMs / 1000, modifiedMs / 1000);
    }
  }

  async #write({ path, mode, owner, modifiedMs }: Later, content: AsyncIterable<Buffer>): Promise<void> {
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      for await (const chunk of content) await file.writeFile(chunk);
      // A change of the owner clears the setuid bit, so the mode is set after it.
      if (this.#setsOwners) await file.chown(owner.uid, owner.gid);
      await file.chmod(mode);
      await file.utimes(modifiedMs / 1000, modifiedMs / 1000);
    } finally {
      await file.close();
    }
  }

  #ownerOf({ owner: { uid, gid } }: ArchiveEntry): Owner {
    const then = this.#serviceUserThen!;
    const now = this.#serviceUser;
    return { uid: uid === then.uid ? now.uid : uid, gid: gid === then.gid ? now.gid : gid };
  }

  async #make(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.#made.add(path);
  }
}

type Owner = { uid: number; gid: number };
type Later = Pick<ArchiveEntry, 'target' | 'mode' | 'owner' | 'modifiedMs'> & { path: string };
