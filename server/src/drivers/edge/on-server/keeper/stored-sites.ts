import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteOrigin } from '../bridge-protocol.ts';
import { originFile } from '../site-layout.ts';

const unusedMark = '.unused';

/** Sites in the volume. A site is immutable once it has its name. */
export class StoredSites {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async has(name: string): Promise<boolean> {
    const there = existsSync(this.#at(name));
    // The caller is about to use the site, so its removal is postponed.
    if (there) await rm(join(this.#at(name), unusedMark), { force: true });
    return there;
  }

  async adopt(draft: string, name: string): Promise<void> {
    if (existsSync(this.#at(name))) return rm(this.#at(draft), { recursive: true, force: true });
    return rename(this.#at(draft), this.#at(name));
  }

  async origins(): Promise<Record<string, SiteOrigin>> {
    const origins: Record<string, SiteOrigin> = {};
    for (const name of await this.#names()) {
      const file = join(this.#at(name), originFile);
      if (existsSync(file)) origins[name] = JSON.parse(readFileSync(file, 'utf8')) as SiteOrigin;
    }
    return origins;
  }

  /** Removes unused sites, and drafts that were never adopted. */
  async sweep(used: string[], unusedMs: number): Promise<void> {
    for (const name of await this.#names()) {
      const mark = join(this.#at(name), unusedMark);
      const since = await stat(mark).then(
        ({ mtimeMs }) => mtimeMs,
        () => null,
      );
      if (used.includes(name)) await rm(mark, { force: true });
      else if (since === null) await writeFile(mark, '');
      else if (Date.now() - since >= unusedMs) await rm(this.#at(name), { recursive: true, force: true });
    }
  }

  async #names(): Promise<string[]> {
    await mkdir(this.#folder, { recursive: true });
    return readdir(this.#folder);
  }

  /** Rejects anything but letters, digits, `_` and `-`. */
  #at(name: string): string {
    if (!/^[\w-]{1,100}$/.test(name)) throw new Error(`${name} is not the name of a site`);
    return join(this.#folder, name);
  }
}
