import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../../drivers/runtime/docker/engine/errors.ts';
import type { OriginalContainers } from '../../../drivers/runtime/docker/originals/originals.ts';
import {
  type AdoptionRow,
  containersOn,
  type Original,
  type Parts,
  requireContainers,
} from '../../deployments/port.ts';
import type { GoingBack } from './waves.ts';

const betweenMs = 250;
// Engines ask for the first time after half a minute, unless somebody has said otherwise.
const healthMs = 45_000;
/** For one that has no health check to come up: nobody can be asked whether it has. */
const comesUpMs = 1000;

/** Whether anything of it is to come back. */
export const isHeld = ({ originals }: GoingBack): boolean => originals.some(({ held }) => held);

/** Of those that run again: what comes after them needs them. */
export function healthOf(parts: Parts, wave: readonly GoingBack[]): Promise<string[]> {
  const back = wave.flatMap(({ originals }) => originals.filter(({ held }) => held?.was.state === 'running'));
  return waitForHealth(requireContainers(parts).originals, back, healthMs);
}

/** What of ours still runs meanwhile finds those that are back, and they find it. */
export async function joinOldNetworks(parts: Parts, row: AdoptionRow, all: readonly GoingBack[]): Promise<void> {
  if (!all.some(({ oldNetworks }) => oldNetworks.length)) return;
  const own = (await containersOn(parts, row)).filter(({ state }) => state === 'running');
  for (const { service, oldNetworks } of all)
    for (const { network, names } of oldNetworks)
      for (const { id } of own.filter(({ owner }) => owner.service === service))
        await requireContainers(parts)
          .originals.join(id, network, names)
          .catch((error: unknown) => {
            // Its way back does not depend on it.
            if (!(error instanceof EngineError)) throw error;
          });
}

/** Waits for those that have a health check until they say how they are, because others build on them; not without end. What
 * is not as it should be by then is told. */
async function waitForHealth(
  engine: Pick<OriginalContainers, 'look'>,
  originals: readonly Original[],
  withinMs: number,
): Promise<string[]> {
  const giveUp = Date.now() + withinMs;
  const wait = async ({ containerId, name }: Original): Promise<string[]> => {
    for (;;) {
      const now = await engine.look(containerId);
      if (now?.health === 'unhealthy') return [`the container ${name} runs again, but its health check fails`];
      if (now?.health === 'healthy' || now?.state !== 'running') return [];
      if (now.health !== 'starting') {
        await sleep(Math.min(comesUpMs, withinMs));
        return [];
      }
      if (Date.now() >= giveUp)
        return [`the container ${name} runs again, but its health check has not passed after ${withinMs / 1000} s`];
      await sleep(betweenMs);
    }
  };
  return (await Promise.all(originals.map(wait))).flat();
}
