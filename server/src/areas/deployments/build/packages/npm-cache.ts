import { constants } from 'node:fs';
import { chown, mkdir, open, readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AppUser } from '../../../../drivers/host/sandbox.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { removeTree } from '../../../../lib/remove-tree.ts';
import type { Folders } from '../../model/parts.ts';
import { KeyedQueue } from '../../../../lib/concurrency.ts';
import { PackageStore } from './package-store.ts';

// npm stores downloads in `_cacache`: `content-v2` by digest, and an index of URLs beside it. It verifies the digest
// of each package that it reads, and finds packages of a lock file by digest alone. So the projects of an organization
// share the content, and the index, which a project could falsify, stays in each project's home.

type User = AppUser | null;
type Build = { folders: Folders; organizationId: string; projectId: string; user: User };

const contentName = 'content-v2';
const indexName = 'index-v5';
const lockFiles = ['package-lock.json', 'npm-shrinkwrap.json'];
const mostLockBytes = 20_000_000;
const integrity = /sha512-([A-Za-z0-9+/]{86}==)/g;

/** Number of builds that use a home: two environments of a project may build at once. */
const building = new Map<string, number>();
const turns = new KeyedQueue();

/**
 * Puts the organization's stored packages that a build needs where npm looks for them. `sources` are the folders that
 * may have a lock file. Returns a function that stores new packages and empties npm's folder again.
 */
export async function lendPackages(build: Build, sources: string[]): Promise<() => Promise<void>> {
  const home = build.folders.home(build.projectId);
  const locked = (await Promise.all(sources.map(digestsIn))).flat();
  await turns.take(home, async () => {
    const others = building.get(home) ?? 0;
    if (!others) {
      // Left by an older version or a killed build.
      await collect(build);
      await place(build, locked);
    }
    building.set(home, others + 1);
  });
  return () =>
    turns.take(home, async () => {
      const others = building.get(home)! - 1;
      building.set(home, others);
      if (others) return;
      building.delete(home);
      await collect(build);
      // With a lock file npm needs no index, and its many small folders take more disk space than their size suggests.
      if (locked.length && (await takeOut(build, indexName))) await removeTree(stagingOf(build));
    });
}

const storeOf = ({ folders, organizationId }: Build) => new PackageStore(folders.packages(organizationId));
const stagingOf = ({ folders, projectId }: Build) => join(folders.temporary(), `packages-${projectId}`);

/** Assembled in our own folder and moved as a whole: in the home, its owner could redirect us with a link. */
async function place(build: Build, locked: string[]): Promise<void> {
  const [store, staging] = [storeOf(build), stagingOf(build)];
  const digests = new Set([...locked, ...(await store.listed(build.projectId))]);
  if (!digests.size) return;
  const top = join(staging, 'sha512');
  await mkdir(build.folders.temporary(), { recursive: true, mode: 0o700 });
  await removeTree(staging);
  await mkdir(top, { recursive: true });
  for (const digest of digests)
    // Without a user of its own, a build runs as the owner of the store and could change it.
    await store.lend(digest, join(top, digest.slice(0, 2), digest.slice(2, 4), digest.slice(4)), build.user === null);
  await giveFolders(staging, build.user);
  const cache = await openCache(build, true);
  try {
    if (cache) await rename(staging, cache.at(contentName));
  } finally {
    await cache?.close();
    await removeTree(staging);
  }
}

/** The files stay ours, so that the project cannot change them. */
async function giveFolders(path: string, user: User): Promise<void> {
  if (!user) return;
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await giveFolders(join(path, entry.name), user);
  await chown(path, user.uid, user.gid);
}

async function digestsIn(folder: string): Promise<string[]> {
  const digests: string[] = [];
  for (const name of lockFiles) {
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      () => undefined,
    );
    if (!file) continue;
    try {
      const { size } = await file.stat();
      const text = size <= mostLockBytes ? await file.readFile('utf8') : '';
      for (const [, found] of text.matchAll(integrity)) digests.push(Buffer.from(found!, 'base64').toString('hex'));
    } finally {
      await file.close();
    }
  }
  return digests;
}

/** Moves npm's content out of the home and stores the new packages. */
async function collect(build: Build): Promise<void> {
  const [store, staging] = [storeOf(build), stagingOf(build)];
  if (!(await takeOut(build, contentName))) return;
  const digests: string[] = [];
  const above = await HeldFolder.open(build.folders.temporary());
  try {
    const content = await above.enter(basename(staging));
    if (content)
      await eachFile(content, 3, async ([kind, ...names], path) => {
        const digest = names.join('');
        if (kind === 'sha512' && (await store.take(digest, path))) digests.push(digest);
      });
    await store.list(build.projectId, digests);
  } finally {
    await above.close();
    await removeTree(staging);
  }
}

/** Visits files `depth` folders down without following links. Closes the folder. */
async function eachFile(
  folder: HeldFolder,
  depth: number,
  act: (names: string[], path: string) => Promise<void>,
  names: string[] = [],
): Promise<void> {
  try {
    for (const { name } of await folder.entries()) {
      const inner = depth ? await folder.enter(name) : undefined;
      if (inner) await eachFile(inner, depth - 1, act, [...names, name]);
      else if (!depth) await act([...names, name], folder.at(name));
    }
  } finally {
    await folder.close();
  }
}

/** Removes npm caches in homes from before packages were shared. Must not run during a build. */
export async function emptyOldCaches(folders: Folders): Promise<void> {
  const homes = await readdir(folders.homes()).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  for (const projectId of homes) {
    const build = { folders, organizationId: '', projectId, user: null };
    if (await takeOut(build, contentName)) await removeTree(stagingOf(build));
  }
}

/** Moves one of npm's folders from the home to our own folder. False if there is none. */
async function takeOut(build: Build, name: string): Promise<boolean> {
  const cache = await openCache(build, false);
  if (!cache) return false;
  try {
    await mkdir(build.folders.temporary(), { recursive: true, mode: 0o700 });
    await removeTree(stagingOf(build));
    await rename(cache.at(name), stagingOf(build));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  } finally {
    await cache.close();
  }
}

/** Opens npm's folder in the home. Undefined if it is missing or the project has replaced it with something else. */
async function openCache({ folders, projectId, user }: Build, make: boolean): Promise<HeldFolder | undefined> {
  const above = await HeldFolder.open(folders.homes());
  let folder: HeldFolder | undefined;
  try {
    folder = await above.enter(projectId);
  } finally {
    await above.close();
  }
  for (const name of ['.npm', '_cacache']) {
    if (!folder) return undefined;
    const isNew = make && (await made(folder.at(name)));
    const inner: HeldFolder | undefined = await folder.enter(name);
    if (isNew && user) await inner?.chown(user);
    await folder.close();
    folder = inner;
  }
  return folder;
}

async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o755 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
