import { staleFence } from '../../../stale-fence.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortTakenError } from '../../errors.ts';
import type { ImageRelease } from '../../runtime.ts';
import { EngineError } from '../engine/errors.ts';
import { isInitMissing } from './init-process.ts';
import { publishedAt } from '../instance-view.ts';
import { specLabel } from '../labels.ts';
import { isUp, type OwnContainer } from '../own-containers.ts';
import { createAndStart, createWithPort, imageOf, startNamed, type StartParts, type ContainerSlot } from './create.ts';
import { hasNames } from '../service/names.ts';
import { isFinishedContainer, isReusable } from '../service/start.ts';
import { specDigest } from './spec-digest.ts';
import { isFixedPort } from './taken-port.ts';

const mostTries = 4;
const pauseMs = 150;

/** Starts a release or finds it running. Continues where an interrupted call stopped. */
export async function startRelease(parts: StartParts, spec: ImageRelease, place: ContainerSlot): Promise<OwnContainer> {
  let avoid: number | undefined;
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(parts, spec, place, avoid);
    } catch (error) {
      const retry = tries < mostTries ? reasonToRetry(error) : undefined;
      if (!retry || (retry === 'port' && isFixedPort(spec, (error as PortTakenError).port))) throw error;
      if (retry === 'port') avoid = (error as PortTakenError).port;
      if (retry === 'init') parts.init.isMissing = true;
      parts.report(`the start of ${spec.owner.deploymentId} is retried`, error);
      await sleep(pauseMs * tries);
    }
  }
}

async function attempt(
  parts: StartParts,
  spec: ImageRelease,
  place: ContainerSlot,
  avoid: number | undefined,
): Promise<OwnContainer> {
  const { containers } = parts;
  const { owner, service } = spec;
  const known = await containers.findOf(owner, place.name);
  if (known && known.owner.fence > owner.fence) throw staleFence(owner, known.owner.fence);
  const isSame = known?.owner.fence === owner.fence && known.info.Image === spec.imageId;
  const isNamed = service.isNamedAtOnce || (known !== undefined && hasNames(known));
  if (isSame && isUp(known)) {
    if (isNamed) await parts.names.giveIfFree(known);
    return known;
  }
  const isUnchanged = isSame && known.info.Config.Labels?.[specLabel] === specDigest(spec);
  if (isUnchanged && isFinishedContainer(known, parts.wasStopped(known), service)) return known;
  const image = await imageOf(parts.engine, spec);
  if (isUnchanged && isReusable(parts, known, service)) {
    const again = await startAgain(parts, known, isNamed, avoid);
    if (again) return again;
  }
  if (known) await parts.end(known);
  return createAndStart(parts, spec, { ...place, image, isNamed }, avoid);
}

/** Creates the container of a service, unless there is one. */
export async function makeRelease(parts: StartParts, spec: ImageRelease, place: ContainerSlot): Promise<OwnContainer> {
  const { owner } = spec;
  const known = await parts.containers.findOf(owner, place.name);
  if (known && known.owner.fence > owner.fence) throw staleFence(owner, known.owner.fence);
  if (known && (known.info.State.Status !== 'created' || parts.made.has(known.info.Id))) return known;
  const image = await imageOf(parts.engine, spec);
  if (known) await parts.end(known);
  const created = await createWithPort(parts, spec, { ...place, image });
  parts.made.add(created.info.Id);
  return created;
}

/** Starts a stopped container. Returns undefined if it no longer starts and must be recreated. */
async function startAgain(
  parts: StartParts,
  known: OwnContainer,
  isNamed: boolean,
  avoid: number | undefined,
): Promise<OwnContainer | undefined> {
  if (publishedAt(known.info).port === avoid) return undefined;
  try {
    return await startNamed(parts, known, isNamed);
  } catch (error) {
    // Its network was pruned, or its port is taken by now.
    if (!(error instanceof EngineError)) throw error;
    parts.report(`the container ${known.info.Name} is created again`, error);
    return undefined;
  }
}

/** Another service of this instance, or a user's prune, may have interfered. */
function reasonToRetry(error: unknown): 'port' | 'init' | 'conflict' | undefined {
  if (error instanceof PortTakenError) return 'port';
  if (isInitMissing(error)) return 'init';
  if (!(error instanceof EngineError)) return undefined;
  const isConflict = error.status === 409 || (error.status === 404 && /network/i.test(error.message));
  return isConflict ? 'conflict' : undefined;
}
