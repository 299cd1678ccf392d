import { ImageMissingError, PortTakenError } from '../../errors.ts';
import type { WriterLog } from '../../records/log-writer.ts';
import type { PortAllocator } from '../../records/ports.ts';
import type { ImageRelease } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { ImageInfo } from '../engine/types.ts';
import type { InitSupport } from './init-process.ts';
import { publishedAt } from '../instance-view.ts';
import type { OwnContainer, OwnContainers } from '../own-containers.ts';
import type { ServiceBodyInput } from '../service/body.ts';
import type { ServiceNames } from '../service/names.ts';
import { prepareMounts } from '../service/mounts.ts';
import { createServiceContainerOf, hasOwnPort } from '../service/start.ts';
import type { StackNetworks } from '../networks/networks.ts';
import type { StackVolumes } from '../volumes.ts';
import { portTakenByOther } from './taken-port.ts';

export interface StartParts {
  engine: EngineClient;
  containers: OwnContainers;
  networks: StackNetworks;
  volumes: StackVolumes;
  names: ServiceNames;
  ports: PortAllocator;
  host: string;
  engineLogs: ServiceBodyInput['engineLogs'];
  init: InitSupport;
  /** Removes a container; its recorded output stays. */
  end: (container: OwnContainer) => Promise<void>;
  /** Name of a container that does not hold its service's names. */
  nameOf: (deploymentId: string, service: string) => string;
  /** Whether it exited because it was stopped. */
  wasStopped: (container: OwnContainer) => boolean;
  /** Ids of containers created but not started yet. Any other such container may be incomplete. */
  made: Set<string>;
  report: WriterLog;
}

/** Identity of one release's container. */
export interface ContainerSlot {
  key: string;
  name: string;
}

/** Creates the container of a release and starts it. */
export async function createAndStart(
  parts: StartParts,
  spec: ImageRelease,
  { isNamed, ...place }: ContainerSlot & { image: ImageInfo; isNamed: boolean },
  avoid: number | undefined,
): Promise<OwnContainer> {
  return startNew(parts, spec, await createWithPort(parts, spec, place, avoid), isNamed);
}

/** Allocates a port if the release needs one. */
export async function createWithPort(
  parts: StartParts,
  spec: ImageRelease,
  { key, name, image }: ContainerSlot & { image: ImageInfo },
  avoid?: number,
): Promise<OwnContainer> {
  const port = hasOwnPort(spec) ? await parts.ports.take(key, spec.port, avoid) : undefined;
  return createServiceContainerOf(parts, spec, { name, port, image, mounts: await prepareMounts(parts, spec, image) });
}

async function startNew(
  parts: StartParts,
  spec: ImageRelease,
  created: OwnContainer,
  isNamed: boolean,
): Promise<OwnContainer> {
  try {
    const started = await startNamed(parts, created, isNamed);
    if (started.info.Image !== spec.imageId)
      throw new Error(`the engine runs ${started.info.Image} in place of ${spec.imageId}`);
    return started;
  } catch (error) {
    // It never ran, so there is nothing to keep.
    await parts.containers.remove(created);
    const port = portTakenByOther(error, spec, publishedAt(created.info).port);
    throw port === undefined ? error : new PortTakenError(port, error);
  }
}

/** Starts a container. One that gets its names at once, or inherits them, has them before it runs; unless another
 * running container holds them. */
export async function startNamed(
  { containers, names, made }: StartParts,
  container: OwnContainer,
  isNamed: boolean,
): Promise<OwnContainer> {
  const isGivenLater = isNamed && !(await names.giveIfFree(container));
  const started = await containers.start(container);
  made.delete(container.info.Id);
  if (isGivenLater) await names.give(started);
  return started;
}

/** Returns the engine's info about the image. */
export async function imageOf(engine: EngineClient, { image, imageId }: ImageRelease): Promise<ImageInfo> {
  const path = `/images/${encodeURIComponent(imageId)}/json`;
  const found = await undefinedIfGone(engine.json<ImageInfo>({ method: 'GET', path }));
  if (!found) throw new ImageMissingError(image, imageId);
  return found;
}
