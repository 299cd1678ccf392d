import { imageName } from '../../../drivers/images/image-names.ts';
import type { ImageOwner } from '../../../drivers/images/images.ts';
import { requireContainers } from '../artifact.ts';
import type { Parts } from '../parts.ts';
import type { ServiceImage } from './model.ts';

/** Whether it can still be started. */
export async function isServiceImageThere(parts: Parts, { imageId }: Pick<ServiceImage, 'imageId'>): Promise<boolean> {
  return (await requireContainers(parts).images.find(imageId)) !== undefined;
}

/** Images that no deployment needs any more. */
export interface OldImages {
  projectId: string;
  /** Of the deployment that has built them. */
  deploymentId: string;
  /** Names of services: also of those whose images were pulled, or never made. */
  services: string[];
  /** Ids that builds gave, where they are known: an engine that was cut short in a removal has taken the name first. */
  imageIds?: string[];
}

/** Removes what was built for these services, and nothing that was pulled. Gives the services whose images are still used by a
 * container: those stay. */
export async function removeServiceImages(parts: Parts, old: OldImages): Promise<string[]> {
  if (!parts.containers) return [];
  const { images } = parts.containers;
  const { projectId, deploymentId } = old;
  const left: string[] = [];
  for (const service of old.services) {
    // Whose it is does not stand in its name; the driver looks at what it carries.
    const owner: ImageOwner = { instanceId: parts.instanceId, organizationId: '', projectId, deploymentId, service };
    if ((await images.remove(imageName(owner))) === 'in_use') left.push(service);
  }
  for (const imageId of old.imageIds ?? []) await images.removeNameless(imageId);
  return left;
}
