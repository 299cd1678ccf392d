import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { passableFolder } from '../../lib/passable-folder.ts';
import { removeTree } from '../../lib/remove-tree.ts';
import { KeyedQueue } from '../../lib/concurrency.ts';
import { compareVersions, versionPattern } from '../../lib/version-order.ts';
import { ToolDrafts } from './drafts.ts';
import { type NpmRegistry, type PublishedPackage, NpmRegistryError } from './npm-registry.ts';
import { linkPrograms, makeReadableByAll, unpackPublished } from './tool-files.ts';
import { displayNames, isToolName, packageOf, partsOfTool, type Tool, type ToolName } from './tools.ts';

/** Longer than any build, which has no release yet that would name its tools. */
const unusedMs = 86_400_000;
/** After this time a newer version is looked for. */
const freshMs = 7 * 86_400_000;
const notePrefix = '.newest-';
const prefixPattern = /^\d{1,6}(\.\d{1,6}){0,2}$/;

export type FoundTool = { tool: Tool; version: string; isNew: boolean };

const majorOf = (version: string): string => version.split('.')[0]!;

/**
 * Downloaded tools, each in a folder of its own that never changes. Only the service writes here; projects read. A tool
 * is complete or not there: it is made in a draft that is renamed.
 *
 *     <folder>/<arch>/<name>-<version>/bin       links to its programs
 *                                      package   the unpacked package
 *                    .newest-<name>-<prefix>     the version that the registry had last
 */
export class ToolStore {
  readonly #folder: string;
  readonly registry: NpmRegistry;
  readonly #turns = new KeyedQueue();
  readonly #drafts: ToolDrafts;

  constructor(folder: string, registry: NpmRegistry) {
    // A data folder may move to another machine.
    this.#folder = join(folder, process.arch);
    this.#drafts = new ToolDrafts(this.#folder);
    this.registry = registry;
  }

  folderOf(tool: string): string {
    const { name, version } = partsOfTool(tool);
    return join(this.#folder, `${name}-${version}`);
  }

  /** Where its programs are. */
  programsOf = (tool: string): string => join(this.folderOf(tool), 'bin');

  /** The range of Node versions that it runs on; undefined if it names none. */
  async nodeRangeOf(tool: string): Promise<string | undefined> {
    const file = join(this.folderOf(tool), 'package/package.json');
    const { engines } = JSON.parse(await readFile(file, 'utf8')) as { engines?: { node?: unknown } };
    return typeof engines?.node === 'string' ? engines.node : undefined;
  }

  /** Folder with the headers for native modules; undefined if it has none. */
  headersOf(tool: string): string | undefined {
    const folder = join(this.folderOf(tool), 'package');
    return existsSync(join(folder, 'include/node/node.h')) ? folder : undefined;
  }

  /**
   * Finds the newest version of a prefix (`22`, `9.5.0`) and downloads it if it is not there; if there is none, the
   * newest one of its major version. What was found is used for a week without the registry, and as long as the
   * registry is away. Undefined if there is no such version.
   */
  async provide(name: ToolName, prefix: string, signal: AbortSignal): Promise<FoundTool | undefined> {
    if (!prefixPattern.test(prefix)) throw new NpmRegistryError(`${prefix.slice(0, 100)} is not a version`);
    const known = await this.#lastFound(name, prefix);
    if (known?.isFresh) return this.#found(name, known.version);
    try {
      const published = await this.#published(name, prefix, signal);
      if (!published) return undefined;
      const { version } = published;
      const tool: Tool = `${name}@${version}`;
      const isNew = await this.#install(tool, (draft) => unpackPublished(this.registry, published, draft, signal));
      await writeFile(this.#noteOf(name, prefix), version);
      return { tool, version, isNew };
    } catch (error) {
      const version =
        known?.version ?? (await this.#newest(name, prefix)) ?? (await this.#newest(name, majorOf(prefix)));
      if (version === undefined || !(error instanceof NpmRegistryError)) throw error;
      return this.#found(name, version);
    }
  }

  async #found(name: ToolName, version: string): Promise<FoundTool> {
    await this.#use(`${name}@${version}`);
    return { tool: `${name}@${version}`, version, isNew: false };
  }

  #noteOf = (name: ToolName, prefix: string): string => join(this.#folder, `${notePrefix}${name}-${prefix}`);

  /** Returns what the registry had for this prefix, if it is still stored. */
  async #lastFound(name: ToolName, prefix: string): Promise<{ version: string; isFresh: boolean } | undefined> {
    if (versionPattern.test(prefix) && existsSync(this.folderOf(`${name}@${prefix}`)))
      return { version: prefix, isFresh: true };
    const note = this.#noteOf(name, prefix);
    if (!existsSync(note)) return undefined;
    const version = await readFile(note, 'utf8');
    if (!versionPattern.test(version) || !existsSync(this.folderOf(`${name}@${version}`))) return undefined;
    return { version, isFresh: Date.now() - (await stat(note)).mtimeMs < freshMs };
  }

  /** The newest stored version of a prefix. */
  async #newest(name: ToolName, prefix: string): Promise<string | undefined> {
    const versions = (await this.#entries()).flatMap((entry) =>
      entry.startsWith(`${name}-`) ? entry.slice(name.length + 1) : [],
    );
    return versions
      .filter((each) => `${each}.`.startsWith(`${prefix}.`))
      .toSorted(compareVersions)
      .at(-1);
  }

  /** Makes sure that a stored tool of a release is still there. */
  async require(tool: string, signal: AbortSignal): Promise<void> {
    const { name, version } = partsOfTool(tool);
    if (existsSync(this.folderOf(tool))) return;
    if (await this.provide(name, version, signal)) return;
    throw new NpmRegistryError(`${this.registry.url} has no ${displayNames[name]} ${version}`);
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

  /** Removes tools that no release uses and no build has used for a day, and drafts of a killed service. */
  async prune(used: ReadonlySet<string>): Promise<string[]> {
    const removed: string[] = [];
    for (const entry of await this.#entries()) {
      const [, name = '', version = ''] = /^([a-z]+)-(.+)$/.exec(entry) ?? [];
      if (this.#drafts.isAbandoned(entry)) await removeTree(join(this.#folder, entry));
      if (!isToolName(name) || used.has(`${name}@${version}`)) continue;
      await this.#turns.take(entry, async () => {
        const path = join(this.#folder, entry);
        if (Date.now() - (await stat(path)).mtimeMs < unusedMs) return;
        removed.push(entry);
        const draft = this.#drafts.begin();
        await rename(path, draft);
        await this.#drafts.discard(draft);
      });
    }
    return removed;
  }

  /** If the exact version is missing, the newest one of the same major version. */
  async #published(name: ToolName, prefix: string, signal: AbortSignal): Promise<PublishedPackage | undefined> {
    const id = packageOf(name, prefix);
    if (!id) throw new NpmRegistryError(`there is no ${displayNames[name]} for processors of type ${process.arch}`);
    const found = await this.registry.find(id, prefix, signal);
    return found ?? (majorOf(prefix) === prefix ? undefined : this.registry.find(id, majorOf(prefix), signal));
  }

  /** Returns whether it was made now. `fill` writes `package` or `bin` of the draft. */
  async #install(tool: Tool, fill: (draft: string) => Promise<void>): Promise<boolean> {
    const target = this.folderOf(tool);
    return this.#turns.take(target.slice(this.#folder.length + 1), async () => {
      if (existsSync(target)) {
        await this.#use(tool);
        return false;
      }
      await passableFolder(dirname(this.#folder));
      await passableFolder(this.#folder);
      const draft = this.#drafts.begin();
      try {
        await mkdir(draft);
        await fill(draft);
        await linkPrograms(partsOfTool(tool).name, draft);
        await makeReadableByAll(draft);
        await rename(draft, target);
        return true;
      } finally {
        await this.#drafts.discard(draft);
      }
    });
  }

  #use = (tool: Tool): Promise<void> => utimes(this.folderOf(tool), new Date(), new Date());

  #entries(): Promise<string[]> {
    return readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
  }
}
