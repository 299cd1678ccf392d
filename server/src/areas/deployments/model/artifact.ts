import { existsSync } from 'node:fs';
import { imageName } from '../../../drivers/images/image-names.ts';
import type { ImageOwner } from '../../../drivers/images/images.ts';
import type { Built } from './built.ts';
import type { ContainerParts, Parts } from './parts.ts';
import { statesOf } from './stack.ts';
import type { DeploymentRow } from './store.ts';

type Row = Pick<DeploymentRow, 'artifactId' | 'organizationId' | 'projectId' | 'imageDigest'>;

export const imageOwner = (parts: Parts, row: Row): ImageOwner => ({
  instanceId: parts.instanceId,
  organizationId: row.organizationId,
  projectId: row.projectId,
  deploymentId: row.artifactId,
  service: 'app',
});

/** Whether it can still be started or served. While it is being built, the folder of its source stands for it. */
export async function isArtifactThere(parts: Parts, row: Row, built: Built | undefined): Promise<boolean> {
  if (built?.kind !== 'image') return existsSync(parts.folders.release(row.artifactId));
  // Apps run as processes by now: they are built again.
  return (await parts.containers?.images.find(built.imageId)) !== undefined;
}

/** An image that something still runs from stays; upkeep tries again. */
export async function removeArtifact(parts: Parts, row: Row): Promise<void> {
  await parts.folders.remove(row.artifactId);
  if (!parts.containers) return;
  const { images } = parts.containers;
  await images.remove(imageName(imageOwner(parts, row)));
  if (row.imageDigest) await images.removeNameless(row.imageDigest);
}

/** Ends what a service that was killed, or gave up, has left running of a build. Gives how many processes there were. */
export async function endBuildOf(parts: Parts, deployment: DeploymentRow): Promise<number> {
  const count = await parts.host.endWork(deployment.id);
  const owner = imageOwner(parts, deployment);
  const services = statesOf(deployment).map(({ name }) => ({ ...owner, service: name }));
  for (const each of services.length ? services : [owner]) await parts.containers?.images.endBuild(each);
  return count;
}

export function requireContainers({ containers }: Parts): ContainerParts {
  if (!containers) throw new Error('this release is an image, and MOORING_RUNTIME turns Docker off');
  return containers;
}
