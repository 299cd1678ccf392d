import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Owner } from '../../../drivers/runtime/runtime.ts';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import { copyTree } from '../../../lib/copy-tree.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { treeEntries } from '../../../lib/tree-entries.ts';
import { edgeKey, StepError } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { appOf, type Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';

type Made = { deployment: DeploymentRow; stack: Stack };

/**
 * Prepares the volumes of an app in the engine, before its container starts. Volumes from the time when the app ran as
 * a process are copied from their folders. Until a release serves with it, the engine volume is a draft: the folder
 * stays as it is, because the previous release may come back and write to it, and the next deployment recreates the
 * draft. The draft's mark names the deployment that completed it; an empty mark means that the copy was interrupted.
 */
export async function carryOver(parts: Parts, { deployment, stack }: Made, owner: Owner): Promise<void> {
  if (!hasEngineHere(parts)) return;
  for (const { name, folder, draft, inEngine, isExternal } of volumesOf(parts, { deployment, stack })) {
    if (existsSync(inEngine) || isExternal) continue;
    const completedBy = await readMark(draft);
    if (completedBy === deployment.id) continue;
    const there = await parts.containers!.services.volumes({ stack: edgeKey(deployment) });
    const made = there.find((volume) => volume.name === name);
    // Not a draft: created by a compose file or an older version.
    if (made && completedBy === undefined) continue;
    await writeMark(draft, '');
    if (made && !(await parts.containers!.services.removeVolume(made.id))) throw isBusy(name);
    if (existsSync(folder)) await fillEngine(parts, folder, owner, name, edgeKey(deployment));
    await writeMark(draft, deployment.id);
  }
}

/**
 * Returns the names of volumes that are still in folders, which a running process may be writing to. Only `carryOver`
 * moves them to the engine.
 */
export const volumesToCarryOver = (parts: Parts, made: Made): string[] =>
  volumesOf(parts, made).flatMap(({ name, folder, inEngine, isExternal }) =>
    hasEngineHere(parts) && !isExternal && !existsSync(inEngine) && existsSync(folder) ? name : [],
  );

/** Marks the volumes as moved to the engine, once the release serves. */
export async function keepInEngine(parts: Parts, made: Made): Promise<void> {
  if (!hasEngineHere(parts)) return;
  for (const { draft, inEngine } of volumesOf(parts, made)) {
    await writeMark(inEngine, '');
    await rm(draft, { force: true });
  }
}

/** Renames the folders of volumes that are now in the engine, once the previous release has stopped. */
export async function setFoldersAside(parts: Parts, made: Made): Promise<void> {
  if (!hasEngineHere(parts)) return;
  for (const { name, folder, inEngine } of volumesOf(parts, made))
    if (existsSync(inEngine) && existsSync(folder))
      await rename(folder, posix.join(posix.dirname(folder), `.moved-${name}-${Date.now()}`));
}

const hasEngineHere = ({ server, containers }: Parts): boolean => server === null && containers !== undefined;

function volumesOf({ folders }: Parts, { deployment: { projectId, environment }, stack }: Made) {
  return appOf(stack).mounts.flatMap((mount) => {
    if (mount.type !== 'volume' || !mount.isOfProject) return [];
    const name = mount.volume!;
    return {
      name,
      folder: folders.volume(projectId, environment, name),
      draft: folders.volumeDraft(projectId, environment, name),
      inEngine: folders.volumeInEngine(projectId, environment, name),
      /** It refers to an existing engine volume by another name. */
      isExternal: stack.project.volumes.some((each) => each.name === name && each.externalName !== null),
    };
  });
}

async function writeMark(mark: string, text: string): Promise<void> {
  await mkdir(posix.dirname(mark), { recursive: true, mode: 0o711 });
  await writeFile(mark, text);
}

const readMark = (mark: string): Promise<string | undefined> =>
  readFile(mark, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

const isBusy = (name: string): StepError =>
  new StepError(
    'volume_busy',
    `The unfinished copy of the volume ${name} cannot be removed from the engine: a container still uses it`,
    'Stop the containers that mount it (docker ps --filter volume=<its name> lists them), then deploy again.',
  );

/** Copies the folder first: other apps of the project may still write to it or plant links there. */
async function fillEngine({ folders, containers }: Parts, folder: string, owner: Owner, name: string, stack: string) {
  const copy = posix.join(folders.temporary(), `volume-${randomUUID()}`);
  try {
    await mkdir(copy, { recursive: true, mode: 0o700 });
    await copyTree(await realpath(folder), copy, () => false);
    await containers!.services.makeVolume(owner, stack, name, forAnybody(copy));
  } finally {
    await removeTree(copy);
  }
}

/** The container's user is unknown, so every user gets access. */
async function* forAnybody(folder: string): AsyncGenerator<WrittenEntry> {
  for (const name of (await readdir(folder)).toSorted())
    for await (const { owner: _, ...entry } of treeEntries(posix.join(folder, name), name))
      yield { ...entry, mode: entry.mode | (entry.type === 'folder' ? 0o777 : 0o666) };
}
