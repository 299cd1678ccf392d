import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { BuildRefusedError } from '../errors.ts';
import type { BuildRequest } from '../images.ts';
import { readEntry } from './content.ts';
import type { ContextEntry } from './entry.ts';
import { readIgnoreRules } from './ignore-rules.ts';
import { walkContext } from './walk.ts';

export type { ContextEntry } from './entry.ts';

/** A build context: a folder without the files excluded by `.dockerignore`. */
export interface BuildContext {
  /** Each folder before its contents, names in byte order. */
  entries(): AsyncGenerator<ContextEntry>;
  content(entry: ContextEntry): AsyncGenerator<Buffer>;
}

const ignoreFile = '.dockerignore';
const largestIgnoreFile = 1_048_576;

type Rules = Partial<Pick<BuildRequest, 'dockerfile' | 'ignore' | 'ownIgnore'>>;

/** Opens a context. A Dockerfile may have its own ignore file beside it; `ignore` applies only if there is no ignore
 * file at all. */
export async function openContext(
  folder: string,
  { dockerfile, ignore = '', ownIgnore }: Rules = {},
): Promise<BuildContext> {
  const own = dockerfile && 'path' in dockerfile ? await ignoreBeside(folder, dockerfile.path) : ownIgnore;
  const rules = readIgnoreRules(own ?? (await readInside(folder, ignoreFile, largestIgnoreFile)) ?? ignore);
  return {
    entries: () => inFolder(folder, (held) => walkContext(held, '', rules, 0)),
    content: (entry) => inFolder(folder, (held) => readEntry(held, entry)),
  };
}

/** Returns the ignore rules of a Dockerfile; undefined if it has none. */
export const ignoreBeside = (folder: string, dockerfile: string): Promise<string | undefined> =>
  readInside(folder, `${dockerfile}${ignoreFile}`, largestIgnoreFile);

/** Reads a file of the context; undefined if it is missing or a symlink leads out of the folder. */
export async function readInside(folder: string, path: string, mostBytes: number): Promise<string | undefined> {
  const real = await realpath(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL', 'ERR_INVALID_ARG_VALUE'].includes(error.code!)) return;
    throw error;
  });
  if (!real || /^\.\.(\/|$)/.test(relative(await realpath(folder), real))) return undefined;
  const { size, isFile } = await statsOf(real);
  if (!isFile) return undefined;
  if (size > mostBytes) throw new BuildRefusedError(`${path} is larger than ${mostBytes} bytes`);
  return readFile(real, 'utf8');
}

async function statsOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await lstat(path);
  return { size: stats.size, isFile: stats.isFile() };
}

/** Holds the folder open, so that no part of its path can be swapped for a symlink. */
async function* inFolder<T>(folder: string, give: (held: HeldFolder) => AsyncGenerator<T>): AsyncGenerator<T> {
  const held = await HeldFolder.open(await realpath(folder));
  try {
    yield* give(held);
  } finally {
    await held.close();
  }
}
