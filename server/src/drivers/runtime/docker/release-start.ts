import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../records/log-writer.ts';
import type { Ports } from '../records/ports.ts';
import type { ImageRelease } from '../runtime.ts';
import { StaleFenceError } from '../stale-fence.ts';
import { containerBody, type ContainerPlace, specDigest } from './container-body.ts';
import type { EngineClient } from './engine-client.ts';
import { ImageMissingError, PortTakenError } from '../errors.ts';
import { EngineError, ifThere } from './engine-errors.ts';
import type { ImageInfo } from './engine-types.ts';
import { publishedAt } from './instance-view.ts';
import { specLabel } from './labels.ts';
import type { ProjectNetworks } from './networks.ts';
import type { ServiceNames } from './service-names.ts';
import { createService, hasOwnPort, isOver, mayBeNamedSo } from './service-start.ts';
import type { StackNetworks } from './stack-networks.ts';
import type { StackVolumes } from './stack-volumes.ts';
import { isAskedFor, takenPort } from './taken-port.ts';
import { isUp, type OwnContainer, type OwnContainers } from './own-containers.ts';

export interface StartParts {
  engine: EngineClient;
  containers: OwnContainers;
  networks: ProjectNetworks;
  stackNetworks: StackNetworks;
  volumes: StackVolumes;
  names: ServiceNames;
  ports: Ports;
  host: string;
  engineLogs: ContainerPlace['engineLogs'];
  /** Ends a container for good, with its output kept. */
  end: (container: OwnContainer) => Promise<void>;
  /** What a container is called that has no names of its service. */
  nameOf: (deploymentId: string, service: string) => string;
  /** Whether it has ended because it was asked to. */
  wasStopped: (container: OwnContainer) => boolean;
  report: Report;
}

/** Where one release goes. */
export interface StartPlace {
  key: string;
  name: string;
}

const mostTries = 4;
const pauseMs = 150;

/** Starts a release, or finds it running. Whatever a call before us has left half done is gone on with. */
export async function startRelease(parts: StartParts, spec: ImageRelease, place: StartPlace): Promise<OwnContainer> {
  let avoid: number | undefined;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(parts, spec, place, avoid);
    } catch (error) {
      const retry = tries < mostTries ? reasonToRetry(error) : undefined;
      if (!retry || (retry === 'port' && isAskedFor(spec, (error as PortTakenError).port))) throw error;
      if (retry === 'port') avoid = (error as PortTakenError).port;
      parts.report(`the start of ${spec.owner.deploymentId} is tried again`, error);
      await sleep(pauseMs * tries);
    }
  }
}

async function attempt(
  parts: StartParts,
  spec: ImageRelease,
  place: StartPlace,
  avoid: number | undefined,
): Promise<OwnContainer> {
  const { containers } = parts;
  const { owner, service } = spec;
  const known = await (service
    ? containers.findOf(owner.deploymentId, owner.service, place.name)
    : containers.find(place.name));
  if (known && known.owner.fence > owner.fence) throw new StaleFenceError(owner, known.owner.fence);
  const isSame = known?.owner.fence === owner.fence && known.info.Image === spec.imageId;
  if (isSame && isUp(known)) {
    if (service?.isNamedAtOnce) await parts.names.giveIfFree(known);
    return known;
  }
  const isUnchanged = isSame && known.info.Config.Labels?.[specLabel] === specDigest(spec);
  if (isUnchanged && isOver(known, parts.wasStopped(known), service)) return known;
  const image = await imageOf(parts.engine, spec);
  if (isUnchanged && mayBeNamedSo(known, service)) {
    const again = await startAgain(parts, known, spec, avoid);
    if (again) return again;
  }
  if (known) await parts.end(known);
  return createAndStart(parts, spec, place, image, avoid);
}

/** A container that was stopped. Undefined when it does not start any more and has to be made anew. */
async function startAgain(
  parts: StartParts,
  known: OwnContainer,
  spec: ImageRelease,
  avoid: number | undefined,
): Promise<OwnContainer | undefined> {
  if (publishedAt(known.info).port === avoid) return undefined;
  try {
    return await startNamed(parts, known, spec);
  } catch (error) {
    // Its network was pruned, or its port is somebody else's by now.
    if (!(error instanceof EngineError)) throw error;
    parts.report(`the container ${known.info.Name} is made anew`, error);
    return undefined;
  }
}

async function createAndStart(
  parts: StartParts,
  spec: ImageRelease,
  { key, name }: StartPlace,
  image: ImageInfo,
  avoid: number | undefined,
): Promise<OwnContainer> {
  const { containers, networks, ports, host, engineLogs } = parts;
  if (spec.service) {
    const port = hasOwnPort(spec) ? await ports.take(key, spec.port, avoid) : undefined;
    return startNew(parts, spec, await createService(parts, spec, spec.service, { name, port, image }));
  }
  const port = await ports.take(key, spec.port, avoid);
  return networks.within(spec.owner, async (network) => {
    const body = containerBody(spec, { image, name, network, host, port, engineLogs });
    return startNew(parts, spec, await containers.create(name, body));
  });
}

async function startNew(parts: StartParts, spec: ImageRelease, created: OwnContainer): Promise<OwnContainer> {
  try {
    const started = await startNamed(parts, created, spec);
    if (started.info.Image !== spec.imageId)
      throw new Error(`the engine runs ${started.info.Image} in place of ${spec.imageId}`);
    return started;
  } catch (error) {
    // It never ran: there is nothing to keep of it.
    await parts.containers.remove(created);
    const port = takenPort(error, spec, publishedAt(created.info).port);
    throw port === undefined ? error : new PortTakenError(port, error);
  }
}

/** A service that is to have its names from its start has them before it runs, unless another one runs that has them. */
async function startNamed(
  { containers, names }: StartParts,
  container: OwnContainer,
  { service }: ImageRelease,
): Promise<OwnContainer> {
  const isGivenLater = service?.isNamedAtOnce === true && !(await names.giveIfFree(container));
  const started = await containers.start(container);
  if (isGivenLater) await names.give(started);
  return started;
}

/** What the engine knows of the image. */
export async function imageOf(engine: EngineClient, { image, imageId }: ImageRelease): Promise<ImageInfo> {
  const path = `/images/${encodeURIComponent(imageId)}/json`;
  const found = await ifThere(engine.json<ImageInfo>({ method: 'GET', path }));
  if (!found) throw new ImageMissingError(image, imageId);
  return found;
}

/** Others (another service of this instance, a person with a prune) may have been there at the same moment. */
function reasonToRetry(error: unknown): 'port' | 'conflict' | undefined {
  if (error instanceof PortTakenError) return 'port';
  if (!(error instanceof EngineError)) return undefined;
  const isConflict = error.status === 409 || (error.status === 404 && /network/i.test(error.message));
  return isConflict ? 'conflict' : undefined;
}
