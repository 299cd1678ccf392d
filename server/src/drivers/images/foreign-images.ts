import { parseDockerfile } from './dockerfile/parse.ts';
import { sourcesUsedBy } from './dockerfile/stages.ts';
import { BuildRefusedError } from './errors.ts';
import { imageOwnerOf } from './image-names.ts';
import type { ImageStore } from './image-store.ts';
import type { ImageOwner, RegistryCredential } from './images.ts';
import { refuseRemoteFiles, requireRegistryInReach, type SharedEngine } from './shared-engine.ts';

type Shared = { engine: SharedEngine; credentials: RegistryCredential[] };

/** An engine uses any image that it has, for every build. So a build that refers to an image of another organization
 * is rejected, also when a base image refers to it (ONBUILD). */
export class ForeignImages {
  readonly #images: ImageStore;
  readonly #owner: ImageOwner;
  readonly #shared: Shared | undefined;
  /** Images that may be used. A missing image is not cleared: it may belong to another organization once it exists. */
  readonly #cleared = new Set<string>();

  constructor(images: ImageStore, owner: ImageOwner, shared?: Shared) {
    [this.#images, this.#owner, this.#shared] = [images, owner, shared];
  }

  /** Throws if the engine has such an image and this organization may not use it. */
  async refuse(name: string): Promise<void> {
    if (this.#cleared.has(name)) return;
    await (this.#shared?.engine.requireReach(name) ?? requireRegistryInReach(name, 'private'));
    const details = await this.#images.details(name);
    if (!details) return;
    const owner = imageOwnerOf(details.Config?.Labels);
    const { instanceId, organizationId } = this.#owner;
    if (owner && (owner.instanceId !== instanceId || owner.organizationId !== organizationId))
      throw new BuildRefusedError(`the image ${name} belongs to another project`);
    if (this.#shared && !owner) await this.#shared.engine.requireShared(name, details, this.#shared.credentials);
    if (this.#shared && details.Config?.OnBuild) refuseRemoteFiles(instructionsIn(details.Config.OnBuild));
    this.#cleared.add(name);
    for (const instruction of instructionsIn(details.Config?.OnBuild ?? []))
      for (const source of sourcesUsedBy(instruction, [])) if ('image' in source) await this.refuse(source.image);
  }
}

const instructionsIn = (triggers: string[]) => triggers.flatMap((trigger) => parseDockerfile(trigger).instructions);
