import type { Parts } from '../model/parts.ts';
import type { StepContext } from '../model/step.ts';
import type { DeploymentRow } from '../model/store.ts';
import { containersNeeded, imagesInUse } from '../release/in-use.ts';
import { containerKey, contentDigests, serviceStatesOf } from '../model/stack.ts';
import { removeServiceImages } from '../build/service-images/service-images.ts';

/**
 * Removes the containers of a deployment outside the rollback window, except those that newer deployments still use.
 */
export async function removeOldContainers(parts: Parts, row: DeploymentRow, all: DeploymentRow[]): Promise<void> {
  const used = containersNeeded(all);
  const own = serviceStatesOf(row).map(({ name }) => name);
  const isUsed = (name: string) => used.has(containerKey(row.id, name));
  if (!own.some(isUsed)) await parts.runtime.remove(row.id);
  else for (const name of own.filter((each) => !isUsed(each))) await parts.runtime.remove(row.id, name);
}

/**
 * Removes containers of deployments outside the window that newer deployments used for a while and have replaced
 * since.
 */
export async function removeForgottenContainers(
  parts: Parts,
  { projectId }: Pick<DeploymentRow, 'projectId'>,
  all: DeploymentRow[],
): Promise<void> {
  const needed = containersNeeded(all);
  const isGone = (row: DeploymentRow) => row.stack !== null && row.finishedAt !== null && !row.artifactKept;
  const gone = new Set(all.filter((row) => isGone(row) && !row.active).map(({ id }) => id));
  const own = (await parts.runtime.list('image')).filter(({ owner }) => owner.projectId === projectId);
  for (const { deploymentId, service } of own.map(({ owner }) => owner))
    if (gone.has(deploymentId) && !needed.has(containerKey(deploymentId, service)))
      await parts.runtime.remove(deploymentId, service);
}

/** Removes images that it built and no other deployment needs. */
export async function removeOldImages(parts: Parts, row: DeploymentRow, all: DeploymentRow[]): Promise<void> {
  const used = imagesInUse(all.filter(({ id }) => id !== row.id));
  const services = serviceStatesOf(row)
    .filter(({ image }) => image?.isOwn && !used.has(image.imageId))
    .map(({ name }) => name);
  await removeServiceImages(parts, { projectId: row.projectId, deploymentId: row.id, services });
}

/** Removes files of sources that no deployment mounts any more. */
export async function removeOldContents(
  { parts, stack, deployment }: StepContext,
  all: DeploymentRow[],
): Promise<void> {
  const kept = all.filter((row) => row.artifactKept === 1 || row.active === 1 || row.finishedAt === null);
  const digests = kept.flatMap((row) => {
    const known = stack.of(row);
    return known ? contentDigests(known.stack) : [];
  });
  await parts.contents.removeUnused(deployment.projectId, new Set(digests));
}
