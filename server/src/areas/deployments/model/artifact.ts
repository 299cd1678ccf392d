import { existsSync } from 'node:fs';
import { imageName } from '../../../drivers/images/image-names.ts';
import type { ImageOwner } from '../../../drivers/images/images.ts';
import type { Built } from './built.ts';
import type { ContainerParts, Parts } from './parts.ts';
import { serviceStatesOf } from './stack.ts';
import type { DeploymentRow } from './store.ts';

type Row = Pick<DeploymentRow, 'artifactId' | 'organizationId' | 'projectId' | 'imageDigest'>;

export const imageOwner = (parts: Parts, row: Row): ImageOwner => ({
  instanceId: parts.instanceId,
  organizationId: row.organizationId,
  projectId: row.projectId,
  deploymentId: row.artifactId,
  service: 'app',
});

/** Whether the artifact can still be started or served. During a build, the source folder counts as the artifact. */
export async function isArtifactThere(parts: Parts, row: Row, built: Built | undefined): Promise<boolean> {
  if (built?.kind !== 'image') return existsSync(parts.folders.release(row.artifactId));
  return (await parts.containers?.images.find(built.imageId)) !== undefined;
}

/** Removes the artifact's folder and image. An image that is still in use stays, and upkeep retries. */
export async function removeArtifact(parts: Parts, row: Row): Promise<void> {
  await parts.folders.remove(row.artifactId);
  if (!parts.containers) return;
  const { images } = parts.containers;
  await images.remove(imageName(imageOwner(parts, row)));
  if (row.imageDigest) await images.removeNameless(row.imageDigest);
}

/** Ends build processes that a killed or failed replica left behind. Returns how many there were. */
export async function endBuildOf(parts: Parts, deployment: DeploymentRow): Promise<number> {
  const count = await parts.host.endWork(deployment.id);
  const owner = imageOwner(parts, deployment);
  const services = serviceStatesOf(deployment).map(({ name }) => ({ ...owner, service: name }));
  for (const each of services.length ? services : [owner]) await parts.containers?.images.endBuild(each);
  return count;
}

export function requireContainers({ containers }: Parts): ContainerParts {
  if (!containers) throw new Error('this release is an image, and MOORING_RUNTIME turns Docker off');
  return containers;
}
