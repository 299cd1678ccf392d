import { posix } from 'node:path';
import type { SourceTree } from '../detect.ts';
import { parseJson, readJson } from '../json.ts';
import { childRecord, textEntries, textOrNull, type Json } from '../records.ts';
import { plainRangeAllows } from '../version-range.ts';

/** What a lock file says about the dependencies of the package beside it. */
interface Locked {
  /** Ranges by name. */
  ranges: Map<string, string | string[]>;
  /** Locked version, if any in the range will do. */
  version?: (name: string) => string | undefined;
  /** Text with the names whose ranges are replaced. */
  replaced?: string;
  /** Whether a dependency that package.json no longer has is an error as well. */
  isComplete?: boolean;
}

/** Reads what a lock file says about a package: its name, and its folder (`''` is that of the lock file). */
type Read = (text: string, name: string, folder: string) => Locked | undefined;

/**
 * Returns a dependency about which package.json and the lock file disagree, so that an install that must not change
 * the lock file would fail. Undefined if they agree, or if that is unknown.
 */
export async function staleDependency(
  tree: SourceTree,
  file: string,
  members: readonly string[],
): Promise<string | undefined> {
  const text = (await tree.read(file)) ?? '';
  const root = await readJson(tree, 'package.json');
  // Monorepos have dependencies that the lock file of Yarn 1 does not list.
  if (root['workspaces'] && file === 'yarn.lock' && !text.includes('__metadata:')) return undefined;
  const replaced = ['overrides', 'resolutions'].flatMap((key) => Object.keys(childRecord(root, key)));
  for (const folder of ['', ...members.slice(0, 100)]) {
    const pkg = folder ? await readJson(tree, `${folder}/package.json`) : root;
    const locked = readSafely(text, file, textOrNull(pkg['name']) ?? 'root-workspace', folder);
    const stale = locked && staleIn(pkg, locked, replaced);
    if (stale !== undefined) return /^[@\w./-]{1,100}$/.test(stale) ? stale : 'a dependency';
  }
  return undefined;
}

/** Overrides replace ranges. */
function staleIn(pkg: Json, locked: Locked, replaced: string[]): string | undefined {
  const parts = ['dependencies', 'devDependencies'].map((key) => textEntries(pkg[key]));
  const wanted = new Map(parts.flatMap((part) => [...part]));
  const others = ['optionalDependencies', 'peerDependencies'].flatMap((key) => Object.keys(childRecord(pkg, key)));
  const isFree = (name: string) => [...replaced, locked.replaced ?? ''].some((each) => each.includes(name));
  const missing = [...wanted].find(([name, range]) => !isFree(name) && !agrees(locked, name, range));
  const extra = [...locked.ranges.keys()].find((name) => !wanted.has(name) && !others.includes(name) && !isFree(name));
  return missing?.[0] ?? (locked.isComplete ? extra : undefined);
}

function agrees({ ranges, version }: Locked, name: string, range: string): boolean {
  const plain = (text: string) => text.replace(/^npm:/, '').trim();
  if ([ranges.get(name) ?? []].flat().some((said) => plain(said) === plain(range))) return true;
  const locked = version?.(name);
  // Tags and addresses are not compared.
  return locked !== undefined && (plainRangeAllows(range, locked) ?? true);
}

function readSafely(text: string, file: string, name: string, folder: string): Locked | undefined {
  try {
    return readers[file]?.(text, name, folder);
  } catch {
    // The package manager reports a broken lock file.
    return undefined;
  }
}

const npm: Read = (text, _, folder) => {
  const start = text.search(/"packages"\s*:\s*\{\s*""\s*:\s*\{/);
  if (start < 0) {
    if (folder) return undefined;
    // Until npm 6 there are no ranges.
    const { dependencies } = parseJson(text);
    return {
      ranges: new Map(),
      version: (name) => textOrNull(childRecord(dependencies, name)['version']) ?? undefined,
    };
  }
  const own = text.indexOf(`${JSON.stringify(folder)}:`, start);
  // The lock file may be too long to be read as a whole, so a missing member says nothing.
  if (own < 0) return undefined;
  const versionAt = (path: string) => {
    const at = text.indexOf(`${JSON.stringify(path)}:`);
    return at < 0 ? undefined : /"version"\s*:\s*"([^"]{1,100})"/.exec(text.slice(at, at + 500))?.[1];
  };
  return {
    ranges: allRanges(objectAt(text, text.indexOf('{', own))),
    version: (name) => versionAt(posix.join(folder, 'node_modules', name)) ?? versionAt(`node_modules/${name}`),
  };
};

const bun: Read = (text, _, folder) => {
  const start = text.search(/"workspaces"\s*:\s*\{\s*""\s*:\s*\{/);
  const own = start < 0 ? -1 : text.indexOf(`${JSON.stringify(folder)}:`, start);
  if (own < 0) return undefined;
  return { ranges: allRanges(objectAt(text, text.indexOf('{', own))), isComplete: true };
};

/** The importer of the package, or the document itself in a source without workspaces. */
const pnpm: Read = (file, _, folder) => {
  // An earlier document may be about pnpm itself.
  const text = file.slice(file.lastIndexOf('\n---\n') + 1);
  const importers = /^importers:\n/m.exec(text);
  const names = [`  ${folder || '.'}:\n`, `  '${folder || '.'}':\n`].map((name) =>
    text.indexOf(`\n${name}`, importers?.index),
  );
  const start = importers ? Math.max(...names) : -1;
  if (start < 0 && (importers || folder)) return undefined;
  const indent = importers ? '    ' : '';
  const rest = importers ? text.slice(text.indexOf('\n', start + 1) + 1) : text;
  const end = importers ? rest.search(/^ {0,2}\S/m) : rest.search(/^packages:/m);
  const lines = (end < 0 ? rest : rest.slice(0, end)).split('\n');
  const ranges = new Map<string, string>();
  let [part, name] = ['', ''];
  for (const line of lines) {
    const [, spaces = '', key = '', value = ''] = /^( *)(['"]?[^\s'":][^\s'"]*['"]?):(?: +(.*))?$/.exec(line) ?? [];
    const depth = spaces.length - indent.length;
    if (depth === 0) part = key;
    else if (depth === 2) name = unquoted(key);
    if (depth === 2 && part === 'specifiers') ranges.set(name, unquoted(value));
    // Node.js itself may be among them.
    const isPackage = part.endsWith('ependencies') && !value.startsWith('runtime:');
    if (depth === 4 && key === 'specifier' && isPackage) ranges.set(name, unquoted(value));
  }
  return ranges.size || importers
    ? { ranges, isComplete: true, replaced: /^overrides:\n(?: .*\n)*/m.exec(text)?.[0] ?? '' }
    : undefined;
};

/** Later versions have an entry for the package itself; version 1 lists only ranges. */
const yarn: Read = (text, name, folder) => {
  if (!text.includes('__metadata:')) {
    if (folder || text.length > 1_000_000) return undefined;
    const keys = text.split('\n').filter((line) => /^["\w@].*:\s*$/.test(line));
    const patterns = keys.flatMap((line) => line.trim().slice(0, -1).split(', ').map(unquoted));
    const known = patterns.map((pattern) => /^(@?[^@]+)@(.+)$/.exec(pattern)).filter((each) => each !== null);
    const byName = Map.groupBy(known, ([, each]) => each!);
    return { ranges: new Map([...byName].map(([each, found]) => [each, found.map(([, , range]) => range!)])) };
  }
  const start = text.indexOf(`\n"${name}@workspace:${folder || '.'}":\n`);
  const block = start < 0 ? '' : text.slice(start + 1).split('\n\n', 1)[0]!;
  const list = /^ {2}dependencies:\n((?: {4}.*\n?)*)/m.exec(block)?.[1];
  if (start < 0) return undefined;
  const entries = (list ?? '').split('\n').map((line) => /^ {4}(\S+): (.+)$/.exec(line));
  return {
    ranges: new Map(
      entries.filter((each) => each !== null).map(([, key, range]) => [unquoted(key!), unquoted(range!)]),
    ),
    isComplete: true,
  };
};

const readers: Record<string, Read> = {
  'package-lock.json': npm,
  'npm-shrinkwrap.json': npm,
  'pnpm-lock.yaml': pnpm,
  'yarn.lock': yarn,
  'bun.lock': bun,
};

const unquoted = (text: string) => text.trim().replace(/^(["'])(.*)\1$/, '$2');

const allRanges = (json: Json): Map<string, string> =>
  new Map(['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((key) => [...textEntries(json[key])]));

/** Parses the object that begins there, also in a text that was cut off after it. */
function objectAt(text: string, start: number): Json {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:\\.|[^"\\\n])*"?|[{}]/g)) {
    depth += token === '{' ? 1 : token === '}' ? -1 : 0;
    if (depth === 0) return parseJson(text.slice(start, start + index + 1));
  }
  return {};
}
