import { createHash } from 'node:crypto';
import type { ArchiveEntry } from './reader.ts';
import type { EntryFacts } from './writer.ts';

export type PartSum = { name: string; entries: number; bytes: number; sha256: string };

type AnyEntry = Pick<EntryFacts, 'path' | 'mode' | 'size' | 'target' | 'owner'> & {
  type: EntryFacts['type'] | ArchiveEntry['type'];
};

/** Sums over the entries of each part of an archive, the same for writing and reading. */
export class PartSums {
  readonly #parts = new Map<string, { entries: number; bytes: number; hash: ReturnType<typeof createHash> }>();

  add(part: string, { type, path, mode, size, target, owner }: AnyEntry): void {
    const kind = type === 'link' ? 'symlink' : type;
    const name = path.replace(/\/$/, '');
    const sum = this.#of(part);
    sum.entries++;
    sum.bytes += size;
    sum.hash.update(`${[kind, name, mode & 0o7777, owner?.uid ?? 0, owner?.gid ?? 0, size, target].join('\0')}\n`);
  }

  content(part: string, chunk: Buffer): void {
    this.#of(part).hash.update(chunk);
  }

  /** Returns the sums so far. */
  sums(): PartSum[] {
    return [...this.#parts].map(([name, { entries, bytes, hash }]) => {
      return { name, entries, bytes, sha256: hash.copy().digest('hex') };
    });
  }

  #of(part: string) {
    const known = this.#parts.get(part) ?? { entries: 0, bytes: 0, hash: createHash('sha256') };
    this.#parts.set(part, known);
    return known;
  }
}
