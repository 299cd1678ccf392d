import { randomBytes } from 'node:crypto';
import { constants, createReadStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { archiveLimits, extractArchive } from '../../lib/archive/archive.ts';
import { passableFolder } from '../../lib/passable-folder.ts';
import { removeTree } from '../../lib/remove-tree.ts';
import { compareVersions } from '../../lib/version-order.ts';
import { type NpmRegistry, type Published, RegistryError } from './npm-registry.ts';
import { linkPrograms, openToAll } from './tool-files.ts';
import { displayNames, isToolName, packageOf, partsOfTool, type Tool, type ToolName } from './tools.ts';

const draftPrefix = '.draft-';
/** Longer than any build, which has no release yet that would name its tools. */
const unusedMs = 86_400_000;
/** After this time a newer version is looked for. */
const freshMs = 30 * 86_400_000;

export type Found = { tool: Tool; version: string; isNew: boolean };

const majorOf = (version: string): string => version.split('.')[0]!;
const isOf = (version: string, prefix: string): boolean => `${version}.`.startsWith(`${prefix}.`);

/**
 * Downloaded tools, each in a folder of its own that never changes. Only the service writes here; projects read. A tool
 * is complete or not there: it is made in a draft that is renamed.
 *
 *     <folder>/<arch>/<name>-<version>/bin       links to its programs
 *                                      package   the unpacked package
 */
export class ToolStore {
  readonly #folder: string;
  readonly registry: NpmRegistry;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #drafts = new Set<string>();

  constructor(folder: string, registry: NpmRegistry) {
    // A data folder may move to another machine.
    this.#folder = join(folder, process.arch);
    this.registry = registry;
  }

  folderOf(tool: string): string {
    const { name, version } = partsOfTool(tool);
    return join(this.#folder, `${name}-${version}`);
  }

  /** Where its programs are. */
  programsOf = (tool: string): string => join(this.folderOf(tool), 'bin');

  /** Folder with the headers for native modules; undefined if it has none. */
  headersOf(tool: string): string | undefined {
    const folder = join(this.folderOf(tool), 'package');
    return existsSync(join(folder, 'include/node/node.h')) ? folder : undefined;
  }

  /**
   * Finds the newest version of a prefix (`22`, `9.5.0`) and downloads it if it is not there; if there is none, the
   * newest one of its major version. Uses a stored one without the registry, unless it is old and the registry
   * responds. Undefined if there is no such version.
   */
  async provide(name: ToolName, prefix: string, signal: AbortSignal): Promise<Found | undefined> {
    const known = await this.stored(name, majorOf(prefix));
    const stored = known.find(({ version }) => isOf(version, prefix));
    if (stored && (stored.version === prefix || stored.ageMs < freshMs)) return this.#found(stored);
    try {
      const published = await this.#published(name, prefix, signal);
      if (!published) return stored && (await this.#found(stored));
      const tool: Tool = `${name}@${published.version}`;
      const isNew = await this.#install(tool, (draft) => this.#unpack(published, draft, signal));
      return { tool, version: published.version, isNew };
    } catch (error) {
      const near = stored ?? known[0];
      if (!near || !(error instanceof RegistryError)) throw error;
      return this.#found(near);
    }
  }

  async #found({ tool, version }: { tool: Tool; version: string }): Promise<Found> {
    await this.#use(tool);
    return { tool, version, isNew: false };
  }

  /** Makes sure that a stored tool of a release is still there. */
  async require(tool: string, signal: AbortSignal): Promise<void> {
    const { name, version } = partsOfTool(tool);
    if (existsSync(this.folderOf(tool))) return;
    if (await this.provide(name, version, signal)) return;
    throw new RegistryError(`${this.registry.url} has no ${displayNames[name]} ${version}`);
  }

  /** Adds a program of this machine, so that an update of it does not change the releases that use it. */
  async adopt(tool: Tool, program: string): Promise<void> {
    await this.#install(tool, async (draft) => {
      const { name } = partsOfTool(tool);
      const target = join(draft, 'bin', name);
      await mkdir(join(draft, 'bin'), { recursive: true });
      await link(program, target).catch(() => copyFile(program, target, constants.COPYFILE_FICLONE));
    });
  }

  /** Stored versions of a prefix, newest first. */
  async stored(name: ToolName, prefix: string) {
    const found: { tool: Tool; version: string; ageMs: number }[] = [];
    for (const entry of await this.#entries()) {
      const version = entry.slice(name.length + 1);
      if (entry !== `${name}-${version}` || !isOf(version, prefix)) continue;
      const { birthtimeMs } = await stat(join(this.#folder, entry));
      found.push({ tool: `${name}@${version}`, version, ageMs: Date.now() - birthtimeMs });
    }
    return found.toSorted((a, b) => compareVersions(b.version, a.version));
  }

  /** Removes tools that no release uses and no build has used for a day, and drafts of a killed service. */
  async prune(used: ReadonlySet<string>): Promise<string[]> {
    const removed: string[] = [];
    for (const entry of await this.#entries()) {
      const [, name = '', version = ''] = /^([a-z]+)-(.+)$/.exec(entry) ?? [];
      if (entry.startsWith(draftPrefix) && !this.#drafts.has(entry)) await removeTree(join(this.#folder, entry));
      if (!isToolName(name) || used.has(`${name}@${version}`)) continue;
      await this.#inTurn(entry, async () => {
        const path = join(this.#folder, entry);
        if (Date.now() - (await stat(path)).mtimeMs < unusedMs) return;
        removed.push(entry);
        const draft = this.#newDraft();
        await rename(path, draft);
        await this.#discard(draft);
      });
    }
    return removed;
  }

  /** If the exact version is missing, the newest one of the same major version. */
  async #published(name: ToolName, prefix: string, signal: AbortSignal): Promise<Published | undefined> {
    const id = packageOf(name, prefix);
    if (!id) throw new RegistryError(`there is no ${displayNames[name]} for processors of type ${process.arch}`);
    const found = await this.registry.find(id, prefix, signal);
    return found ?? (majorOf(prefix) === prefix ? undefined : this.registry.find(id, majorOf(prefix), signal));
  }

  async #unpack(published: Published, draft: string, signal: AbortSignal): Promise<void> {
    const [archive, unpacked] = [join(draft, 'archive'), join(draft, 'unpacked')];
    await this.registry.download(published, archive, signal);
    await extractArchive(createReadStream(archive), unpacked, { ...archiveLimits, ratio: 2000 });
    const [top] = await readdir(unpacked);
    await rename(join(unpacked, top!), join(draft, 'package'));
    await removeTree(unpacked);
    await rm(archive);
  }

  /** Returns whether it was made now. `fill` writes `package` or `bin` of the draft. */
  async #install(tool: Tool, fill: (draft: string) => Promise<void>): Promise<boolean> {
    const target = this.folderOf(tool);
    return this.#inTurn(target.slice(this.#folder.length + 1), async () => {
      if (existsSync(target)) {
        await this.#use(tool);
        return false;
      }
      await passableFolder(dirname(this.#folder));
      await passableFolder(this.#folder);
      const draft = this.#newDraft();
      try {
        await mkdir(draft);
        await fill(draft);
        await linkPrograms(partsOfTool(tool).name, draft);
        await openToAll(draft);
        await rename(draft, target);
        return true;
      } finally {
        await this.#discard(draft);
      }
    });
  }

  #newDraft(): string {
    const name = draftPrefix + randomBytes(6).toString('hex');
    this.#drafts.add(name);
    return join(this.#folder, name);
  }

  async #discard(draft: string): Promise<void> {
    await removeTree(draft);
    this.#drafts.delete(draft.slice(this.#folder.length + 1));
  }

  /** Notes that a build uses it. */
  #use = (tool: Tool): Promise<void> => utimes(this.folderOf(tool), new Date(), new Date());

  #entries(): Promise<string[]> {
    return readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
  }

  #inTurn<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(act, act);
    const over = () => this.#turns.get(key) === turn && this.#turns.delete(key);
    this.#turns.set(key, turn);
    turn.then(over, over);
    return turn;
  }
}
