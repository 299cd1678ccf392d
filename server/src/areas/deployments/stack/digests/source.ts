import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type ContextEntry, ignoreBeside, readInside } from '../../../../drivers/images/context/context.ts';
import { entryChanged, inodeOf } from '../../../../drivers/images/context/entry.ts';
import { type IgnoreRules, readIgnoreRules } from '../../../../drivers/images/context/ignore-rules.ts';
import { walkContext } from '../../../../drivers/images/context/walk.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { limitConcurrency } from '../../../../lib/concurrency.ts';

const filesAtOnce = 8;
const chunkBytes = 256 * 1024;
const largestIgnoreFile = 1_048_576;

/** Ignore rules for an app with a generated Dockerfile. */
const appRules = '**/.git\n**/node_modules\n';

/** Digests folders of a source. Each file is read once, however many services include it. */
export class SourceDigests {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<string>>();
  readonly #folders = new Map<string, Promise<string | null>>();
  readonly #inTurn = limitConcurrency(filesAtOnce);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Digests the files that a build with this context may copy. `dockerfile` may have its own ignore file. */
  async context(path: string, dockerfile: string | null): Promise<string | null> {
    const folder = join(this.#folder, path);
    // A Dockerfile outside its context has its ignore file next to it.
    const isBeside = dockerfile !== null && posix.normalize(dockerfile).startsWith('../');
    const own =
      dockerfile &&
      (await (isBeside ? ignoreBeside(this.#folder, posix.join(path, dockerfile)) : ignoreBeside(folder, dockerfile)));
    return this.#tree(path, own ?? (await readInside(folder, '.dockerignore', largestIgnoreFile)) ?? '');
  }

  /** Everything except files that every build recreates. */
  app = (): Promise<string | null> => this.#tree('', appRules);

  /** Digests one file, following links inside the source; null if it does not exist. */
  async file(path: string): Promise<string | null> {
    const text = await readInside(this.#folder, path, largestIgnoreFile);
    return text === undefined ? null : sha256Of(text);
  }

  #tree(path: string, rules: string): Promise<string | null> {
    const key = `${path}\n${rules}`;
    const known = this.#folders.get(key) ?? this.#walked(path, readIgnoreRules(rules));
    this.#folders.set(key, known);
    return known;
  }

  async #walked(path: string, rules: IgnoreRules): Promise<string | null> {
    const real = await realpath(join(this.#folder, path)).catch(ifAbsent);
    const held = real === undefined ? undefined : await HeldFolder.open(real).catch(ifAbsent);
    if (!held) return null;
    const lines: Promise<string>[] = [];
    try {
      for await (const entry of walkContext(held, '', rules, 0)) lines.push(this.#lineOf(real!, entry));
      return sha256Of((await Promise.all(lines)).join('\n'));
    } finally {
      await Promise.allSettled(lines);
      await held.close();
    }
  }

  /** Leaves out timestamps, owners and other permission bits, which differ between checkouts. */
  async #lineOf(root: string, entry: ContextEntry): Promise<string> {
    const { path, type, mode, target } = entry;
    if (type !== 'file') return JSON.stringify([type, path, target]);
    return JSON.stringify([type, path, (mode & 0o111) !== 0, await this.#content(root, entry)]);
  }

  #content(root: string, entry: ContextEntry): Promise<string> {
    const known = this.#files.get(entry.identity) ?? this.#inTurn(() => hashed(join(root, entry.path), entry));
    this.#files.set(entry.identity, known);
    return known;
  }
}

/** Checks that the opened file is the listed one: it may have been replaced since, or reached through a new link. */
async function hashed(place: string, entry: ContextEntry): Promise<string> {
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(ifAbsent);
  if (!file) throw entryChanged(entry);
  try {
    if (inodeOf(await file.stat({ bigint: true })) !== entry.identity) throw entryChanged(entry);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, entry.size));
    for (let missing = entry.size; missing > 0;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, missing));
      if (!bytesRead) throw entryChanged(entry);
      missing -= bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(error.code!)) throw error;
}
