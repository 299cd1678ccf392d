import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../runtime/docker/engine/errors.ts';
import type { Labels } from '../runtime/docker/engine/types.ts';
import { imageName, imageOwnerOf, ofInstance } from './image-names.ts';
import type { FoundImage, ImageOwner, OwnImage, ImageRemoval } from './images.ts';
import { parseReference } from './references.ts';

/** The parts of an image that we read, in the engine's naming. */
export interface ImageDetails {
  Id: string;
  RepoTags: string[] | null;
  RepoDigests: string[] | null;
  Size: number;
  Os: string;
  Architecture: string;
  Config: {
    Labels: Labels | null;
    OnBuild: string[] | null;
    ExposedPorts?: Record<string, object> | null;
    Volumes?: Record<string, object> | null;
    Healthcheck?: { Test?: string[] | null } | null;
    Entrypoint?: string[] | null;
    Cmd?: string[] | null;
  } | null;
}

/** Returns the public facts of an image. */
export const foundImage = (details: ImageDetails): FoundImage => ({
  imageId: details.Id,
  bytes: details.Size,
  ports: portsOf(details),
  volumes: Object.keys(details.Config?.Volumes ?? {}).toSorted(),
  hasHealthcheck: isCheck(details.Config?.Healthcheck?.Test ?? []),
  command: [...(details.Config?.Entrypoint ?? []), ...(details.Config?.Cmd ?? [])],
  owner: imageOwnerOf(details.Config?.Labels),
});

/** An empty list inherits from the base image, and `NONE` disables it. */
const isCheck = ([kind]: string[]): boolean => kind !== undefined && kind !== 'NONE';

/** Returns its exposed TCP ports, as in `80/tcp`. */
const portsOf = ({ Config }: ImageDetails): number[] =>
  Object.keys(Config?.ExposedPorts ?? {})
    .filter((port) => port.endsWith('/tcp'))
    .map((port) => Number.parseInt(port, 10))
    .toSorted((a, b) => a - b);

type ListedImage = { Id: string; RepoTags: string[] | null; Created: number; Size: number; Labels: Labels | null };

const inUse = 409;

/** The images in an engine. Reads all of them, but removes only ours: by label, instance and name. An image built
 * from one of ours inherits the labels, but not the name. */
export class ImageStore {
  readonly #engine: EngineClient;
  readonly #instanceId: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Finds an image by name or id; undefined for anything else. */
  async details(image: string): Promise<ImageDetails | undefined> {
    if (!parseReference(image)) return undefined;
    return undefinedIfGone(this.#engine.json<ImageDetails>({ method: 'GET', path: `/images/${image}/json` }));
  }

  async list(): Promise<OwnImage[]> {
    const query = { filters: { label: [ofInstance(this.#instanceId)] } };
    const found = await this.#engine.json<ListedImage[]>({ method: 'GET', path: '/images/json', query });
    return found.flatMap(({ Id, RepoTags, Created, Size, Labels }) => {
      const owner = imageOwnerOf(Labels);
      if (!owner || !RepoTags?.includes(imageName(owner))) return [];
      return [{ image: imageName(owner), imageId: Id, bytes: Size, owner, createdAt: Created * 1000 }];
    });
  }

  /** Returns the owner if it is an image of this instance under its rightful name. */
  ownerBy(image: string, details: ImageDetails): ImageOwner | undefined {
    const owner = imageOwnerOf(details.Config?.Labels);
    return owner && owner.instanceId === this.#instanceId && imageName(owner) === image ? owner : undefined;
  }

  async remove(image: string): Promise<ImageRemoval> {
    const details = await this.details(image);
    if (!details) return 'absent';
    if (!this.ownerBy(image, details)) return 'not_ours';
    return this.#delete(image);
  }

  async nameless(): Promise<string[]> {
    const query = { filters: { label: [ofInstance(this.#instanceId)], dangling: ['true'] } };
    const found = await this.#engine.json<ListedImage[]>({ method: 'GET', path: '/images/json', query });
    return found.filter(({ Labels }) => imageOwnerOf(Labels)).map(({ Id }) => Id);
  }

  async removeNameless(imageId: string): Promise<ImageRemoval> {
    const details = await this.details(imageId);
    if (!details) return 'absent';
    const isNameless = !details.RepoTags?.length && !details.RepoDigests?.length;
    const owner = imageOwnerOf(details.Config?.Labels);
    if (details.Id !== imageId || !isNameless || owner?.instanceId !== this.#instanceId) return 'not_ours';
    return this.#delete(imageId);
  }

  async #delete(image: string): Promise<ImageRemoval> {
    try {
      // Without its parents: its base image may be another's.
      const query = { noprune: true, force: false };
      await this.#engine.json({ method: 'DELETE', path: `/images/${image}`, query });
      return 'removed';
    } catch (error) {
      if (error instanceof EngineError && error.status === inUse) return 'in_use';
      if (error instanceof EngineError && error.status === 404) return 'absent';
      // It is being removed concurrently, which makes engines fail with various errors.
      if (error instanceof EngineError && !(await this.details(image))) return 'absent';
      throw error;
    }
  }
}
