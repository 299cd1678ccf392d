import { readdir, statfs } from 'node:fs/promises';
import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { isFinished } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { imagesInUse } from '../release/in-use.ts';
import { serviceStatesOf } from '../model/stack.ts';
import { type DeploymentRow, selectByArtifact, selectByDigest, selectStatuses } from '../model/store.ts';
import { selectByServiceImage, selectStackServices, selectStacksOn } from '../model/stack-store.ts';
import { stacksOfRound, type UpkeepDeps } from './resting-stacks.ts';
import type { RoundInstances } from './round-instances.ts';

type Deps = { db: Db; parts: Parts; log: Log; owner: string; around: RoundInstances };

/** With less free space, not even the database can write. */
const tooLittle = 16_000_000;

/** Removes release folders that no deployment needs, left by a crash or a full disk. */
export async function removeFolders({ db, parts, log }: Deps): Promise<void> {
  const folders = await readdir(parts.folders.all()).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const wanted = await wantedOf(db, folders);
  for (const id of folders.filter((each) => !wanted.has(each))) {
    log.info(`removing the folder of ${id}, which is unused`);
    await removeTree(parts.folders.release(id));
  }
}

/** Removes images that no deployment needs. One that is in use stays until its container is gone. */
export async function removeImages({ db, parts: { containers, server }, log }: Deps): Promise<void> {
  if (!containers) return;
  const images = await containers.images.list();
  const wanted = await wantedOf(
    db,
    images.filter(({ owner }) => owner.service === 'app').map(({ owner }) => owner.deploymentId),
  );
  // Images of services are identified by the deployments that use them; those of a running build are not recorded yet.
  const stacks = await selectStackServices(db, server);
  const used = imagesInUse(stacks);
  const building = new Set(stacks.filter(({ status }) => !isFinished(status)).map(({ id }) => id));
  const isWantedImage = ({ imageId, owner }: (typeof images)[number]) =>
    wanted.has(owner.deploymentId) || used.has(imageId) || building.has(owner.deploymentId);
  const unwanted = images.filter((each) => !isWantedImage(each));
  if (!unwanted.length) return;
  // Their projects may have moved to another server meanwhile.
  const elsewhere = imagesInUse(
    await selectByServiceImage(
      db,
      unwanted.map(({ imageId }) => imageId),
    ),
  );
  for (const { image, owner } of unwanted.filter(({ imageId }) => !elsewhere.has(imageId)))
    if ((await containers.images.remove(image)) === 'removed')
      log.info(`removed the image of ${owner.deploymentId}, which is unused`);
}

/** Removes images whose removal was interrupted: their names are gone, but their ids are recorded. */
export async function removeNamelessImages({ db, parts: { containers }, log }: Deps): Promise<void> {
  if (!containers) return;
  for (const id of await unwantedOf(db, await containers.images.nameless()))
    if ((await containers.images.removeNameless(id)) === 'removed') log.info(`removed ${id}, which is unused`);
}

/** Removes files of sources on a server that are no longer needed. */
export async function removeSentFiles({ parts: { containers }, log }: Deps): Promise<void> {
  for (const name of (await containers?.removeUnusedFiles?.()) ?? []) log.info(`removed ${name}, which is unused`);
}

/** Returns the images that we built and that no deployment runs from or may roll back to. */
async function unwantedOf(db: Db, imageIds: string[]): Promise<string[]> {
  const apps = await selectByDigest(db, imageIds);
  const stacks = await selectByServiceImage(db, imageIds);
  const own = stacks.flatMap(serviceStatesOf).flatMap(({ image }) => (image?.isOwn ? [image.imageId] : []));
  const built = new Set([...apps.map(({ imageDigest }) => imageDigest), ...own]);
  const wanted = new Set([...apps.filter(isWanted).map(({ imageDigest }) => imageDigest), ...imagesInUse(stacks)]);
  return imageIds.filter((id) => built.has(id) && !wanted.has(id));
}

async function wantedOf(db: Db, artifacts: string[]): Promise<Set<string>> {
  const rows = await selectByArtifact(db, artifacts);
  return new Set(rows.filter(isWanted).map(({ artifactId }) => artifactId));
}

const isWanted = ({ artifactKept, status }: Pick<DeploymentRow, 'artifactKept' | 'status'>): boolean =>
  artifactKept === 1 || !isFinished(status);

/** Frees a full disk before anything resumes: an unfinished build that filled it starts over. */
export async function makeRoomAtStart({ db, parts, log, owner }: Omit<Deps, 'around'>): Promise<void> {
  const unfinished = await db
    .selectFrom('deployments')
    .select(['id'])
    .where('leaseOwner', '=', owner)
    .where('status', '=', 'building')
    .execute();
  if (!unfinished.length) return;
  const { bavail, bsize } = await statfs(parts.folders.dataDir);
  if (bavail * bsize > tooLittle) return;
  for (const { id } of unfinished) {
    log.warn(`the disk is full: the unfinished build of ${id} starts over`);
    await removeTree(parts.folders.release(id));
  }
}

/** Stops containers and processes whose deployment is gone or has failed. */
export async function stopOrphans(deps: UpkeepDeps): Promise<void> {
  const { db, parts, log, owner, around } = deps;
  const { rows } = await stacksOfRound(deps);
  const known = new Set(rows.map(({ id }) => id));
  const all = new Set((await around.look()).all.map(({ owner }) => owner.deploymentId));
  const ids = [...all.difference(known)];
  const statuses = new Map((await selectStatuses(db, ids)).map(({ id, status }) => [id, status]));
  const unwanted = ids.filter((id) => !statuses.has(id) || ['failed', 'cancelled'].includes(statuses.get(id)!));
  if (!unwanted.length) return;
  // Those seen before, too: they may have moved to another server of the cluster since.
  const takenOver = takenOverIn([...rows, ...(await selectStacksOn(db, { owner, server: parts.server }))]);
  for (const id of unwanted) {
    if (takenOver.has(id)) continue;
    log.warn(`stopping ${id}, which no deployment needs`);
    await parts.runtime.remove(id);
  }
}

/** Returns deployments whose containers serve newer ones, even if nothing else of them is left. */
function takenOverIn(rows: readonly DeploymentRow[]): Set<string> {
  // An unfinished deployment may have to roll back to the containers that it replaced.
  const idsOf = (row: DeploymentRow) =>
    serviceStatesOf(row).flatMap(({ runsOf, before }) => (isFinished(row.status) ? [runsOf] : [runsOf, before]));
  return new Set(rows.flatMap(idsOf).filter((id) => id !== null));
}
