import { posix } from 'node:path';
import { badRequest } from '../errors.ts';
import type { SourceTree } from './detect.ts';
import { readJson } from './json.ts';
import { readPackage } from './package-json.ts';
import { textList } from './records.ts';
import { insidePath } from './sub-tree.ts';
import { listItems } from './yaml-outline.ts';

const maxFolders = 300;
const maxPatterns = 1000;
const maxPatternLength = 500;
/** Default folders of Nx. */
const nxFolders = ['apps/*', 'packages/*', 'libs/*'];

export interface Workspaces {
  /** File that declares them. */
  file: string;
  patterns: string[];
}

/** Returns the workspaces that a root declares. */
export async function readWorkspaces(tree: SourceTree): Promise<Workspaces | undefined> {
  const found = await declaredWorkspaces(tree);
  if (found) requireFewPatterns(found);
  return found;
}

export function requireFewPatterns({ file, patterns }: Workspaces): void {
  if (patterns.length > maxPatterns)
    throw badRequest(`${file} has ${patterns.length} patterns; at most ${maxPatterns} are supported`);
  if (patterns.some(({ length }) => length > maxPatternLength))
    throw badRequest(`${file} has a pattern of more than ${maxPatternLength} characters`);
}

async function declaredWorkspaces(tree: SourceTree): Promise<Workspaces | undefined> {
  const pnpm = await tree.read('pnpm-workspace.yaml');
  const packages = pnpm === undefined ? [] : listItems(pnpm, 'packages');
  // pnpm also keeps settings in this file, so it may have no packages.
  if (packages.length) return { file: 'pnpm-workspace.yaml', patterns: packages };
  const { workspaces = [] } = (await readPackage(tree)) ?? {};
  if (workspaces.length) return { file: 'workspaces of package.json', patterns: workspaces };
  const lerna = textList((await readJson(tree, 'lerna.json'))['packages']);
  if (lerna.length) return { file: 'lerna.json', patterns: lerna };
  const names = new Set(await tree.list(''));
  if (names.has('nx.json')) return { file: 'nx.json', patterns: nxFolders };
  // Turborepo has no list of its own; these are the folders of its templates.
  if (names.has('turbo.json')) return { file: 'turbo.json', patterns: ['apps/*', 'packages/*'] };
  return undefined;
}

/** Returns matching folders with a package.json or project.json. `*` and `**` match one level. */
export const workspaceFolders = (tree: SourceTree, { patterns }: Workspaces): Promise<string[]> =>
  workspaceMembers(tree, patterns, 'package.json', 'project.json');

/** Returns matching folders with one of the files. */
export async function workspaceMembers(tree: SourceTree, patterns: string[], ...files: string[]): Promise<string[]> {
  const without = patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const seen = new Set<string>();
  const members: string[] = [];
  for (const pattern of patterns.filter((each) => !each.startsWith('!')))
    for (const folder of await expand(tree, pattern)) {
      if (members.length >= maxFolders) return members.sort();
      if (seen.has(folder)) continue;
      seen.add(folder);
      const names = await tree.list(folder);
      if (!files.some((file) => names.includes(file))) continue;
      if (!without.some((each) => matchesPath(folder, each))) members.push(folder);
    }
  return members.sort();
}

/** Whether a folder matches the patterns. */
export function isMember(folder: string, patterns: string[]): boolean {
  const matches = (pattern: string) => matchesPath(folder, pattern);
  const [without, within] = [patterns.filter((p) => p.startsWith('!')), patterns.filter((p) => !p.startsWith('!'))];
  return within.some(matches) && !without.some((pattern) => matches(pattern.slice(1)));
}

async function expand(tree: SourceTree, pattern: string): Promise<string[]> {
  let folders = [''];
  for (const part of (insidePath(pattern) ?? '').split('/').filter(Boolean)) {
    const next: string[] = [];
    for (const folder of folders) {
      if (!part.includes('*')) next.push(posix.join(folder, part));
      else for (const name of await foldersIn(tree, folder, part)) next.push(posix.join(folder, name));
    }
    folders = next.slice(0, maxFolders);
  }
  return folders.filter(Boolean);
}

const foldersIn = async (tree: SourceTree, folder: string, part: string) =>
  (await tree.list(folder))
    .filter((name) => name.endsWith('/') && name !== 'node_modules/' && !name.startsWith('.'))
    .map((name) => name.slice(0, -1))
    .filter((name) => matchesPart(name, part));

/** No regular expression: patterns are untrusted, and several stars would backtrack exponentially. */
function matchesPart(name: string, part: string): boolean {
  const [first = '', ...rest] = part.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return name === part;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    at = name.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  return at <= name.length - last.length;
}

function matchesPath(folder: string, pattern: string): boolean {
  const [names, parts] = [folder.split('/'), (insidePath(pattern) ?? '').split('/')];
  return names.length === parts.length && names.every((name, i) => matchesPart(name, parts[i]!));
}
