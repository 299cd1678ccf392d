import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { removeTree } from '../../lib/remove-tree.ts';

const prefix = '.draft-';

/** Paths for tools that are being made or removed; the caller creates them. */
export class ToolDrafts {
  readonly #folder: string;
  readonly #own = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  begin(): string {
    const name = prefix + randomBytes(6).toString('hex');
    this.#own.add(name);
    return join(this.#folder, name);
  }

  async discard(draft: string): Promise<void> {
    await removeTree(draft);
    this.#own.delete(basename(draft));
  }

  /** Whether a killed service left it. */
  isAbandoned = (entry: string): boolean => entry.startsWith(prefix) && !this.#own.has(entry);
}
