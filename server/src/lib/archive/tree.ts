import { ArchiveError, quotedName } from './reader.ts';

/** Limits that leave room for the target folder (paths end at 4096). */
const maxNameBytes = 255;
const maxPathBytes = 3072;
const maxDepth = 128;
/** Limit of lookups for following all links; real archives need a hundredth of it. */
const maxSteps = 2_000_000;

type Folder = { kind: 'folder'; entries: Map<string, Node> };
/** `way` is the target without `.` and empty names, split each time the link is followed. Null leads outside. */
type Link = { kind: 'link'; way: string | null };
type Node = Folder | { kind: 'file'; size: number } | Link;

/** Splits an archive path into names. Rejects anything that could lead outside. */
export function safeNames(path: string): string[] {
  const refuse = (why: string) => new ArchiveError(`the archive holds ${why}: ${quotedName(path)}`);
  if (path.includes('\0')) throw refuse('a name with a NUL');
  if (path.startsWith('/')) throw refuse('an absolute path');
  if (path.includes('\\') || /^[A-Za-z]:/.test(path)) throw refuse('a path with a backslash or a drive letter');
  if (Buffer.byteLength(path) > maxPathBytes) throw refuse('a path that is too long');
  const names = namesOf(path);
  if (names.includes('..')) throw refuse('a path with ..');
  if (names.length > maxDepth) throw refuse('a path that is too deep');
  if (names.some((name) => Buffer.byteLength(name) > maxNameBytes)) throw refuse('a name that is too long');
  return names;
}

/** Not needed by deployments: the git history, and macOS metadata. */
export const isSkipped = (names: string[]): boolean =>
  names.some((name) => name === '.git' || name === '__MACOSX' || name.startsWith('._'));

/** The file tree of an archive. All decisions are made here and not by looking at the disk, so that checking and
 * unpacking cannot disagree. */
export class ArchiveTree {
  readonly #root: Folder = { kind: 'folder', entries: new Map() };
  readonly #links: { names: string[]; target: string; link: Link }[] = [];
  readonly #maxNodes: number;
  #nodes = 0;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
  }

  /** Adds the folder and its parents. Nothing is ever written through a link, wherever it leads. */
  addFolder(names: string[]): Folder {
    let at = this.#root;
    for (const [depth, name] of names.entries()) {
      const node = at.entries.get(name) ?? this.#add(at, name, { kind: 'folder', entries: new Map() });
      const path = () => quotedName(names.slice(0, depth + 1).join('/'));
      if (node.kind === 'link') throw new ArchiveError(`the archive holds a path that goes through a link: ${path()}`);
      if (node.kind === 'file') throw new ArchiveError(`the archive uses a file as a folder: ${path()}`);
      at = node;
    }
    return at;
  }

  /** Returns whether the file existed: it may occur again, as in appended archives. */
  addFile(names: string[], size: number): boolean {
    const { folder, name, before } = this.#place(names);
    if (before && before.kind !== 'file') throw twice(names);
    this.#add(folder, name, { kind: 'file', size });
    return before !== undefined;
  }

  addLink(names: string[], target: string): void {
    const { folder, name, before } = this.#place(names);
    if (before) throw twice(names);
    const link = this.#add(folder, name, { kind: 'link', way: wayOf(target) });
    this.#links.push({ names, target, link });
  }

  /** Returns the size of a hard link's target, which must precede it. */
  sizeOfFile(names: string[]): number {
    let at: Node | undefined = this.#root;
    for (const name of names) at = at?.kind === 'folder' ? at.entries.get(name) : undefined;
    if (at?.kind === 'file') return at.size;
    throw new ArchiveError(`the archive holds a hard link to no file of it: ${quotedName(names.join('/'))}`);
  }

  /** Checks all links once everything is known: one link may lead out through another. */
  checkedLinks(): readonly { names: string[]; target: string }[] {
    const budget = { steps: maxSteps };
    for (const { names, link } of this.#links) this.#follow(names, link, budget);
    return this.#links;
  }

  #place(names: string[]): { folder: Folder; name: string; before: Node | undefined } {
    const name = names.at(-1);
    if (!name) throw new ArchiveError('the root of the archive is not a folder');
    const folder = this.addFolder(names.slice(0, -1));
    return { folder, name, before: folder.entries.get(name) };
  }

  /** Implied folders count too: a few long paths could stand for millions. */
  #add<T extends Node>(folder: Folder, name: string, node: T): T {
    if (!folder.entries.has(name) && ++this.#nodes > this.#maxNodes)
      throw new ArchiveError(`the archive holds more than ${this.#maxNodes} files and folders`);
    folder.entries.set(name, node);
    return node;
  }

  /** Resolves the link like the kernel, name by name. A missing name counts as an empty folder. */
  #follow(names: string[], link: Link, budget: { steps: number }): void {
    const path = quotedName(names.join('/'));
    const outside = () => new ArchiveError(`the archive has a link that leads outside: ${path}`);
    const way: (Node | undefined)[] = [this.#root];
    const enter = (name: string) => {
      const at = way.at(-1);
      return at?.kind === 'folder' ? at.entries.get(name) : undefined;
    };
    const ahead: string[] = [];
    const take = (next: Link) => {
      if (next.way === null) throw outside();
      const more = namesOf(next.way);
      budget.steps -= more.length;
      if (budget.steps < 0) throw new ArchiveError('the archive has too many nested links');
      ahead.push(...more.toReversed());
    };
    for (const name of names.slice(0, -1)) way.push(enter(name));
    take(link);
    for (let links = 1; ahead.length;) {
      const name = ahead.pop()!;
      const node = name === '..' ? undefined : enter(name);
      if (name === '..') way.pop();
      else if (node?.kind !== 'link') way.push(node);
      else if (++links > 40) throw new ArchiveError(`the archive has circular links: ${path}`);
      else take(node);
      if (!way.length) throw outside();
    }
  }
}

function wayOf(target: string): string | null {
  if (!target || target.includes('\0') || target.startsWith('/') || target.includes('\\')) return null;
  if (/^[A-Za-z]:/.test(target) || Buffer.byteLength(target) > maxPathBytes) return null;
  return namesOf(target).join('/');
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

const twice = (names: string[]) => new ArchiveError(`the archive has two entries named ${quotedName(names.join('/'))}`);
