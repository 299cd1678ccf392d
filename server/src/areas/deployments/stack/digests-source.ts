import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { contentOf } from '../../../drivers/images/context/content.ts';
import type { ContextEntry } from '../../../drivers/images/context/context.ts';
import { readInside } from '../../../drivers/images/context/context.ts';
import { type IgnoreRules, readIgnoreRules } from '../../../drivers/images/context/ignore-rules.ts';
import { walk } from '../../../drivers/images/context/walk.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';

const filesAtOnce = 8;
const largestIgnoreFile = 1_048_576;

/** Of what an app is made of whose Dockerfile is ours. */
const appRules = '**/.git\n**/node_modules\n';

/** Digests of folders of a source. Each file is read once, whoever sees it. */
export class SourceDigests {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<string>>();
  readonly #folders = new Map<string, Promise<string | null>>();
  readonly #inTurn = limitConcurrency(filesAtOnce);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What a build with this context may copy; `dockerfile` may bring rules of its own. */
  async context(path: string, dockerfile: string | null): Promise<string | null> {
    const folder = join(this.#folder, path);
    const own = dockerfile && (await readInside(folder, `${dockerfile}.dockerignore`, largestIgnoreFile));
    return this.#tree(path, own ?? (await readInside(folder, '.dockerignore', largestIgnoreFile)) ?? '');
  }

  /** Everything, except what is made anew for every build. */
  app = (): Promise<string | null> => this.#tree('', appRules);

  /** A file of the source by its path, with links followed inside of it; null when there is none. */
  async file(path: string): Promise<string | null> {
    const text = await readInside(this.#folder, path, largestIgnoreFile);
    return text === undefined ? null : digestOf(text);
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
      for await (const entry of walk(held, '', rules, 0)) lines.push(this.#lineOf(held, entry));
      return digestOf((await Promise.all(lines)).join('\n'));
    } finally {
      await Promise.allSettled(lines);
      await held.close();
    }
  }

  /** Times, owners and permissions of others differ from one checkout to the next and mean nothing. */
  async #lineOf(root: HeldFolder, entry: ContextEntry): Promise<string> {
    const { path, type, mode, target } = entry;
    if (type !== 'file') return JSON.stringify([type, path, target]);
    return JSON.stringify([type, path, (mode & 0o111) !== 0, await this.#content(root, entry)]);
  }

  #content(root: HeldFolder, entry: ContextEntry): Promise<string> {
    const known = this.#files.get(entry.identity) ?? this.#inTurn(() => hashed(contentOf(root, entry)));
    this.#files.set(entry.identity, known);
    return known;
  }
}

async function hashed(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(error.code!)) throw error;
}
