import { existsSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentFile, keeperProgram } from '../container-paths.ts';

/** Programs in the volume: the keeper, and edges of several versions. */
export class StoredPrograms {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<{ names: string[]; current: string | null }> {
    const file = join(this.#folder, currentFile);
    const current = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    return { names: await readdir(this.#folder), current: current || null };
  }

  async keepOnly(used: string[]): Promise<void> {
    const { names, current } = await this.list();
    const kept = new Set([...used, current, currentFile, keeperProgram]);
    for (const name of names) if (!kept.has(name)) await rm(join(this.#folder, name), { force: true });
  }
}
