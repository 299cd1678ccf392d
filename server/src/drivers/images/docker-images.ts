import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OutboundReach } from '../../lib/outbound.ts';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { BuildKitBuilder } from './build/buildkit.ts';
import { runBuild } from './build/run-build.ts';
import { CacheNotes } from './cache/cache-notes.ts';
import { pruneBuildKit } from './cache/prune-buildkit.ts';
import { copyOut, endCopies } from './copy-out.ts';
import { PullFailedError } from './errors.ts';
import { foundImage, ImageStore } from './image-store.ts';
import type { Images } from './images.ts';
import { platformOf, platformsOfNodes } from './platforms.ts';
import { registryDigestOf, pullImage } from './pull.ts';
import { loadImage, saveImage } from './save-load.ts';
import { pushImageIndex } from './registry/image-index.ts';
import { registryRepositoryOf, tagOf } from './registry/image-registry.ts';
import { pushImage } from './registry/push.ts';
import { requireRegistryInReach, SharedEngine } from './shared-engine.ts';
import { removeName, pullPushedImage } from './pull-pushed-image.ts';

export interface DockerImagesOptions {
  engine: EngineClient;
  instanceId: string;
  /** Folder for notes about the engine. */
  folder: string;
  /** Arguments of all builds: `HTTP_PROXY`, `NO_PROXY`. */
  buildArgs?: Record<string, string>;
  /** Memory limit of a build. */
  memoryBytes?: number;
  /** Where organizations share the engine: the addresses that builds may fetch from. */
  sharedWithin?: OutboundReach | undefined;
  /** Platforms that it builds besides the engine's own. */
  otherPlatforms?: string[] | undefined;
  /** Whether the engine manages a Swarm that runs its images. */
  isSwarm?: boolean;
  /** Receives errors that did not fail a call. */
  report: (what: string, error: unknown) => void;
}

const copyLimits = { entries: 100_000, bytes: 2 ** 30 };

/** Manages images through the Docker Engine API. */
export function createDockerImages(options: DockerImagesOptions): Images {
  const { engine, instanceId, folder, report, isSwarm = false } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = new ImageStore(engine, instanceId);
  const notes = new CacheNotes(join(folder, 'cached-steps'));
  const builder = new BuildKitBuilder(engine);
  const shared = options.sharedWithin && new SharedEngine(engine, options.sharedWithin);

  return {
    platform: () => platformOf(engine),
    async build(request, run) {
      const onRan = (step: Parameters<typeof notes.add>[0]) => {
        try {
          notes.add(step);
        } catch (error) {
          // A cached step that is never pruned is no reason to fail a build.
          report('a cached step was not noted', error);
        }
      };
      const settings = {
        engine,
        store,
        builder,
        args: options.buildArgs ?? {},
        memoryBytes: options.memoryBytes,
        onRan,
        shared,
        otherPlatforms: options.otherPlatforms,
      };
      return runBuild(settings, request, run);
    },
    endBuild: (owner) => builder.end(owner),
    async pull(reference, credentials, run) {
      await requireRegistryInReach(reference, options.sharedWithin ?? 'private');
      await pullImage(engine, reference, credentials, run);
      const details = await store.details(reference);
      const digest = registryDigestOf(reference, details?.RepoDigests ?? []);
      if (!details || !digest) throw new PullFailedError(`${reference} was removed right after the pull`);
      return { ...foundImage(details), digest };
    },
    async find(imageId) {
      const details = await store.details(imageId);
      return details?.Id === imageId ? foundImage(details) : undefined;
    },
    async findByName(reference) {
      const details = await store.details(reference);
      return details && foundImage(details);
    },
    list: () => store.list(),
    remove: (image) => store.remove(image),
    nameless: () => store.nameless(),
    removeNameless: (imageId) => store.removeNameless(imageId),
    copyOut: (imageId, path, into, limits = copyLimits) =>
      copyOut(engine, instanceId, { imageId, path, folder: into, limits }),
    save: (image, signal) => saveImage(engine, image, signal),
    load: (archive, signal) => loadImage(engine, archive, signal),
    platforms: async () => (isSwarm ? platformsOfNodes(engine) : [await platformOf(engine)]),
    async push(imageId, to, signal) {
      try {
        return await pushImage(engine, imageId, to, signal);
      } finally {
        await removeName(engine, `${registryRepositoryOf({ address: to.registry })}:${tagOf(imageId)}`);
      }
    },
    pushIndex: (images, to, signal) => pushImageIndex(engine, images, to, signal),
    take: (owner, pushed, from, run) =>
      pullPushedImage({ engine, store, keepsName: isSwarm }, { owner, pushed, from, run }),
    async prune(maxBytes) {
      await endCopies(engine, instanceId);
      const { freedBytes, keptBytes } = await pruneBuildKit(engine, notes, maxBytes);
      return { freedBytes, keptBytes };
    },
  };
}
