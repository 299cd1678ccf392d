import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ArchiveEntry } from '../lib/archive/reader.ts';
import type { WrittenEntry } from '../lib/archive/writer.ts';

/** Increased when an older Mooring could not restore the archive correctly. */
export const archiveFormat = 1;

export const manifestName = 'manifest.json';
/** The last entry: folders change while they are read, so their sums are known only afterwards. */
export const sumsName = 'sums.json';

/** The first entry of an instance backup, so that a restore can refuse early. */
export const Manifest = z.object({
  format: z.number(),
  mooring: z.string().describe('Version that made the backup.'),
  instanceId: z.string(),
  database: z.enum(['sqlite', 'postgres']),
  schema: z.string().describe('The last migration of the database.'),
  createdAt: z.string(),
  dataDir: z.string(),
  owner: z
    .object({ uid: z.number(), gid: z.number() })
    .describe('User of the service, which may have another number on a new machine.'),
  withVolumes: z.boolean().describe('Whether it contains the volumes of process apps.'),
  keyCheck: z.string().describe('Sealed with the instance key, so that a restore can test the key.'),
  parts: z.array(
    z.object({ name: z.string(), bytes: z.number(), sha256: z.string().optional().describe('Of a single file.') }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

export const Sums = z.object({
  parts: z.array(z.object({ name: z.string(), entries: z.number(), bytes: z.number(), sha256: z.string() })),
});
export type Sums = z.infer<typeof Sums>;

type AnyEntry = Pick<WrittenEntry, 'path' | 'mode' | 'size' | 'target'> & {
  type: WrittenEntry['type'] | ArchiveEntry['type'];
  owner?: { uid: number; gid: number };
};

/** The part of a backup that an entry belongs to: `data/releases/...` is of `releases`. */
export function partOf(path: string): string {
  const [top = '', second = '', third] = path.split('/');
  if (top !== 'data') return top.startsWith('settings') ? 'settings' : 'database';
  if (third === undefined && second === 'mooring.db') return 'database';
  return third === undefined && /\.(key|id)$/.test(second) ? 'keys' : second;
}

/** Sums over the entries of each part, the same for writing and reading. */
export class PartSums {
  readonly #parts = new Map<string, { entries: number; bytes: number; hash: ReturnType<typeof createHash> }>();

  add(entry: AnyEntry): void {
    const { type, mode, size, target, owner } = entry;
    const path = entry.path.replace(/\/$/, '');
    const kind = type === 'link' ? 'symlink' : type;
    const sum = this.#of(path);
    sum.entries++;
    sum.bytes += size;
    sum.hash.update(`${[kind, path, mode & 0o7777, owner?.uid ?? 0, owner?.gid ?? 0, size, target].join('\0')}\n`);
  }

  content(path: string, chunk: Buffer): void {
    this.#of(path).hash.update(chunk);
  }

  /** Ends the sums. */
  sums(): Sums {
    const parts = [...this.#parts].map(([name, { entries, bytes, hash }]) => {
      return { name, entries, bytes, sha256: hash.digest('hex') };
    });
    return { parts };
  }

  #of(path: string) {
    const name = partOf(path);
    const known = this.#parts.get(name) ?? { entries: 0, bytes: 0, hash: createHash('sha256') };
    this.#parts.set(name, known);
    return known;
  }
}
