import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readlink, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { copyTree } from '../../../lib/copy-tree.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { passableFolder } from '../../../lib/passable-folder.ts';
import { chownTree } from '../build/folder.ts';
import { openFile } from '../contents/source.ts';
import { type DeploymentConfig, StepError } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { appOf, type Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';

type Made = { deployment: DeploymentRow; config: DeploymentConfig; stack: Stack };

/**
 * Links the volumes of an app into its release: each is a folder outside it. A new volume starts with the content
 * that the release has at that path. Returns the folders. Idempotent, and safe while the app runs.
 */
export async function layOutVolumes(
  { folders }: Pick<Parts, 'folders'>,
  { deployment, config, stack }: Made,
  user: AppUser | null,
): Promise<string[]> {
  const { projectId, artifactId } = deployment;
  const release = folders.release(artifactId);
  const wanted = volumesOf(folders, { deployment, config, stack });
  const places = wanted.map(({ place }) => place);
  await removeStaleLinks(release, folders.volumes(projectId), places);
  for (const { folder, mark, path, place } of wanted) {
    if (posix.isAbsolute(path)) throw mustBeRelative(path);
    if (existsSync(mark) && !existsSync(folder)) throw isInEngine(path);
    const above = await enter(release, posix.dirname(place), user);
    try {
      if (!existsSync(folder)) await makeVolume(folders, folder, { above, name: posix.basename(place), user });
      await linkTo(folder, above, place);
    } finally {
      await above.close();
    }
  }
  return wanted.map(({ folder }) => folder);
}

/**
 * Returns the volumes that the release folder already links to, without changing a folder that a running release uses.
 * `missing` names the others.
 */
export async function linkedVolumes({ folders }: Pick<Parts, 'folders'>, made: Made) {
  const release = folders.release(made.deployment.artifactId);
  const linked: string[] = [];
  const missing: string[] = [];
  for (const { name, folder, place } of volumesOf(folders, made)) {
    const target = await readlink(posix.join(release, place)).catch(ifNoLink);
    if (target === folder) linked.push(folder);
    else missing.push(name);
  }
  return { linked, missing };
}

function volumesOf(folders: Parts['folders'], { deployment: { projectId, environment }, config, stack }: Made) {
  return appOf(stack).mounts.flatMap((mount) => {
    if (mount.type !== 'volume' || !mount.isOfProject) return [];
    const name = mount.volume!;
    const folder = folders.volume(projectId, environment, name);
    const mark = folders.volumeInEngine(projectId, environment, name);
    return { name, folder, mark, path: mount.target, place: posix.join(config.rootDirectory, mount.target) };
  });
}

const mustBeRelative = (path: string): StepError =>
  new StepError(
    'volume_path',
    `The volume at ${path} cannot be mounted: an app that runs as a process cannot have ${path}`,
    "Choose a path inside the app's folder, such as data: mooring volume add <name> data.",
  );

const isInEngine = (path: string): StepError =>
  new StepError(
    'volume_in_engine',
    `The data of the volume at ${path} is in the container engine, and this app runs as a process`,
    'Start Mooring with MOORING_RUNTIME=docker, or remove the volume and add one of another name.',
  );

/**
 * Creates the volume atomically. It is filled before its owner changes, because the owner of a folder could redirect
 * us with links; the folders above it stay ours for the same reason.
 */
async function makeVolume(
  folders: Parts['folders'],
  folder: string,
  { above, name, user }: { above: HeldFolder; name: string; user: AppUser | null },
): Promise<void> {
  const environment = posix.dirname(folder);
  for (const each of [posix.dirname(posix.dirname(environment)), posix.dirname(environment), environment])
    await passableFolder(each);
  const draft = posix.join(folders.temporary(), `volume-${randomUUID()}`);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const now = await lstat(above.at(name)).catch(ifGone);
  if (now?.isDirectory()) await copyTree(posix.join(await above.path(), name), draft, () => false);
  if (user) await chownTree(draft, user);
  await rename(draft, folder);
}

/** Creates the link in a held folder: the owner of the release may swap folders for links meanwhile. */
async function linkTo(folder: string, above: HeldFolder, place: string): Promise<void> {
  const name = posix.basename(place);
  const at = above.at(name);
  const now = await lstat(at).catch(ifGone);
  if (now?.isSymbolicLink()) {
    if ((await readlink(at)) === folder) return;
    await unlink(at);
  } else if (now?.isDirectory()) {
    const isFree = !(await lstat(above.at(hiddenName(name))).catch(ifGone));
    await rename(at, above.at(isFree ? hiddenName(name) : `${hiddenName(name)}-${Date.now()}`));
  } else if (now) throw notAFolder(place);
  await symlink(folder, at);
}

/** Name of the original content while a volume hides it. */
const hiddenName = (name: string): string => `.mooring-below-${name}`;

const notAFolder = (place: string): StepError =>
  new StepError(
    'volume_path',
    `${place} is a file of the app; volumes are folders`,
    'Mount the volume at the folder of that file.',
  );

/** Opens the folder of the release at this path, creating missing ones. */
async function enter(release: string, path: string, user: AppUser | null): Promise<HeldFolder> {
  let folder = await HeldFolder.open(release);
  for (const name of path.split('/').filter((each) => each && each !== '.')) {
    const above = folder;
    try {
      let inner = await above.enter(name);
      if (!inner && (await succeeds(mkdir(above.at(name), { mode: 0o755 })))) {
        inner = await above.enter(name);
        if (user) await inner?.chown(user);
      }
      if (!inner)
        throw new StepError(
          'volume_path',
          `${path} is not a folder of the app`,
          'Choose another path for the volume: mooring volume list shows all of them.',
        );
      folder = inner;
    } finally {
      await above.close();
    }
  }
  return folder;
}

/** Lists the volume links in the release itself. Its owner can tamper with it, but harms only itself. */
const noteName = '.mooring-volumes.json';
const mostLinks = 100;
const mostNoteBytes = 100_000;

/** Removes links to volumes that are no longer mounted there, and restores the original content. */
async function removeStaleLinks(release: string, volumes: string, wanted: readonly string[]): Promise<void> {
  const top = await HeldFolder.open(release);
  try {
    const known = await linksIn(top);
    for (const place of known.filter((each) => !wanted.includes(each))) {
      const above = await enter(release, posix.dirname(place), null);
      const at = above.at(posix.basename(place));
      try {
        if (!(await readlink(at).catch(ifNoLink))?.startsWith(`${volumes}/`)) continue;
        await unlink(at);
        await rename(above.at(hiddenName(posix.basename(place))), at).catch(ifGone);
      } finally {
        await above.close();
      }
    }
    await unlink(top.at(noteName)).catch(ifGone);
    if (wanted.length) await writeFile(top.at(noteName), JSON.stringify(wanted), { flag: 'wx' });
  } finally {
    await top.close();
  }
}

async function linksIn(top: HeldFolder): Promise<string[]> {
  const file = await openFile(top, noteName);
  if (!file) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostNoteBytes + 1));
    if (bytesRead > mostNoteBytes) return [];
    const found: unknown = JSON.parse(buffer.toString('utf8', 0, bytesRead));
    return Array.isArray(found) ? found.filter(isPlace).slice(0, mostLinks) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  } finally {
    await file.close();
  }
}

const isPlace = (place: unknown): place is string =>
  typeof place === 'string' && place !== '' && place.split('/').every((name) => name && name !== '.' && name !== '..');

const ifNoLink = (error: NodeJS.ErrnoException): undefined => {
  if (!['ENOENT', 'ENOTDIR', 'EINVAL', 'ELOOP'].includes(error.code!)) throw error;
};

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function succeeds(attempt: Promise<void>): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}
