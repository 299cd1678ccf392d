import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import type { Labels } from '../../runtime/docker/engine/types.ts';
import { imageIdLabel, instanceFilter } from '../../runtime/docker/labels.ts';
import type { ServiceInfo } from '../../runtime/swarm/types.ts';
import { imageOwnerOf } from '../image-names.ts';
import type { Images } from '../images.ts';
import { type ImageRegistry, registryRepositoryOf, tagOf } from './image-registry.ts';
import { deleteManifest } from './manifests.ts';

export interface PushedImagesOptions {
  /** Engine of the manager, which sends the images. */
  engine: EngineClient;
  instanceId: string;
  registry: ImageRegistry;
  /** Engines of the other nodes, as far as Mooring reaches them. */
  otherEngines?: () => Promise<readonly EngineClient[]>;
  report: (what: string, error: unknown) => void;
}

interface ListedImage {
  Id: string;
  RepoTags: string[] | null;
  RepoDigests: string[] | null;
  Labels: Labels | null;
}

/** An image that is being sent has no service yet. */
const unusedMs = 3_600_000;

/** Images that were sent to the registry. On the manager's engine each has a second name for it, which lists them. */
export class PushedImages {
  readonly #options: PushedImagesOptions;
  readonly #repo: string;
  #isToldNotAllowed = false;

  constructor(options: PushedImagesOptions) {
    this.#options = options;
    this.#repo = registryRepositoryOf(options.registry);
  }

  /** Removes images that nothing needs any more (or only this one, if so) from the registry and the nodes. */
  async sweep(only?: string): Promise<void> {
    const { engine } = this.#options;
    const used = await this.#used();
    const all = (await listed(engine)).filter((image) => this.#namesOf(image).length > 0);
    const kept = new Set(used);
    let isDeleted = false;
    for (const image of all)
      if ((only && image.Id !== only) || used.has(image.Id) || (await this.#isNeeded(image))) kept.add(image.Id);
      else isDeleted = (await this.#delete(image)) || isDeleted;
    if (!only || isDeleted)
      for (const other of (await this.#options.otherEngines?.()) ?? [])
        await this.#sweepNode(other, kept).catch((error: unknown) =>
          this.#options.report('unused images were not removed from a node', error),
        );
  }

  /** Ids of the images of our services, running or not. */
  async #used(): Promise<Set<string>> {
    const query = { filters: instanceFilter(this.#options.instanceId) };
    const services = await this.#options.engine.json<ServiceInfo[]>({ method: 'GET', path: '/services', query });
    return new Set(services.flatMap(({ Spec }) => Spec.Labels[imageIdLabel] ?? []));
  }

  /** An image that we built is needed while it has its own name. One that was pulled can be sent again. */
  async #isNeeded({ Id, RepoTags, Labels }: ListedImage): Promise<boolean> {
    const { engine, instanceId, registry } = this.#options;
    if (imageOwnerOf(Labels)?.instanceId === instanceId) return RepoTags!.some((name) => !this.#isForRegistry(name));
    // Another Mooring may use it too.
    if (!registry.isOwn) return true;
    type Info = { Metadata: { LastTagTime: string } };
    const info = await undefinedIfGone(engine.json<Info>({ method: 'GET', path: `/images/${Id}/json` }));
    return info !== undefined && Date.now() - Date.parse(info.Metadata.LastTagTime) < unusedMs;
  }

  /** Returns whether the registry deleted it. It keeps its name here while that fails, for the next time. */
  async #delete(image: ListedImage): Promise<boolean> {
    const { engine, registry, report } = this.#options;
    // Before, so that a killed service does not forget it.
    await registry.beforeDelete();
    const result = await deleteManifest(registry, tagOf(image.Id));
    if (result === 'not_allowed' && (await registry.isReadOnly())) return false;
    if (result === 'not_allowed' && !this.#isToldNotAllowed) {
      this.#isToldNotAllowed = true;
      report(`unused images stay in the registry ${registry.address}`, new Error('it does not allow deletes'));
    }
    await removeNames(engine, this.#namesOf(image));
    return result === 'deleted';
  }

  async #sweepNode(engine: EngineClient, kept: ReadonlySet<string>): Promise<void> {
    for (const image of await listed(engine)) {
      const isOnlyFromHere = (image.RepoTags ?? []).every((name) => this.#isForRegistry(name));
      if (isOnlyFromHere && !kept.has(image.Id)) await removeNames(engine, this.#namesOf(image));
    }
  }

  #namesOf = ({ RepoTags, RepoDigests }: ListedImage): string[] => {
    const tags = (RepoTags ?? []).filter(this.#isForRegistry);
    // The last tag takes the digests with it.
    return tags.length ? tags : (RepoDigests ?? []).filter(this.#isForRegistry);
  };

  #isForRegistry = (name: string): boolean => name.startsWith(`${this.#repo}:`) || name.startsWith(`${this.#repo}@`);
}

/** Engines list images without a tag as `<none>:<none>`. */
async function listed(engine: EngineClient): Promise<ListedImage[]> {
  const all = await engine.json<ListedImage[]>({ method: 'GET', path: '/images/json' });
  return all.map((image) => ({
    ...image,
    RepoTags: (image.RepoTags ?? []).filter((name) => !name.includes('<none>')),
  }));
}

/** Keeps the image of a container that still exists: the next sweep removes it. */
async function removeNames(engine: EngineClient, names: string[]): Promise<void> {
  for (const name of names) {
    const query = { noprune: true, force: false };
    await undefinedIfGone(engine.json({ method: 'DELETE', path: `/images/${name}`, query }), [404, 409]);
  }
}

/** Returns the driver of images, which also removes them from the registry and frees its space. */
export function withRegistry(images: Images, options: PushedImagesOptions): Images {
  const { registry, report } = options;
  const pushed = new PushedImages(options);
  const sweep = (only?: string) =>
    pushed
      .sweep(only)
      .catch((error: unknown) => report(`unused images stay in the registry ${registry.address} for now`, error));
  return {
    ...images,
    async remove(image) {
      const found = await images.findByName(image);
      const result = await images.remove(image);
      if (found && result === 'removed') await sweep(found.imageId);
      return result;
    },
    async prune(maxBytes) {
      const result = await images.prune(maxBytes);
      await sweep();
      await registry
        .collectGarbage()
        .catch((error: unknown) => report(`the space of the registry ${registry.address} was not freed`, error));
      return result;
    },
  };
}
