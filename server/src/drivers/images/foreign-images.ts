import { parseDockerfile } from './dockerfile/parse.ts';
import { usedBy } from './dockerfile/stages.ts';
import { BuildRefusedError } from './errors.ts';
import { imageOwnerOf } from './image-names.ts';
import type { ImageStore } from './image-store.ts';
import type { ImageOwner } from './images.ts';

/** An engine takes any image that it has, whoever asks. So a build that names an image of another organization is refused;
 * also when it is an image that names it, for those who build from it (ONBUILD). */
export class ForeignImages {
  readonly #images: ImageStore;
  readonly #owner: ImageOwner;
  /** What may be used. An image that is not there yet may be somebody's when it is. */
  readonly #cleared = new Set<string>();

  constructor(images: ImageStore, owner: ImageOwner) {
    [this.#images, this.#owner] = [images, owner];
  }

  /** Throws if the engine has such an image, and it is not this organization's to use. */
  async refuse(name: string): Promise<void> {
    if (this.#cleared.has(name)) return;
    const details = await this.#images.details(name);
    if (!details) return;
    const owner = imageOwnerOf(details.Config?.Labels);
    const { instanceId, organizationId } = this.#owner;
    if (owner && (owner.instanceId !== instanceId || owner.organizationId !== organizationId))
      throw new BuildRefusedError(`the image ${name} is not yours to build from`);
    this.#cleared.add(name);
    for (const trigger of details.Config?.OnBuild ?? [])
      for (const instruction of parseDockerfile(trigger).instructions)
        for (const source of usedBy(instruction, [])) if ('image' in source) await this.refuse(source.image);
  }
}
