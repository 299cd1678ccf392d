import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../../../drivers/runtime/docker/engine/errors.ts';
import type { OriginalContainers } from '../../../drivers/runtime/docker/originals/originals.ts';
import {
  type AdoptionRow,
  containersOn,
  type Original,
  originalTitle,
  type Parts,
  requireContainers,
} from '../../deployments/port.ts';
import type { RestoredService } from './waves.ts';

const betweenMs = 250;
// By default engines run the first health check after 30 s.
const healthMs = 45_000;
/** Start-up time for containers without a health check. */
const comesUpMs = 1000;

/** Whether any of its originals has to be restored. */
export const hasHeldOriginals = ({ originals }: RestoredService): boolean => originals.some(({ held }) => held);

/** Waits for the restored containers of a wave, since later waves depend on them. */
export function untilWaveHealthy(parts: Parts, wave: readonly RestoredService[]): Promise<string[]> {
  const back = wave.flatMap(({ originals }) => originals.filter(({ held }) => held?.was.state === 'running'));
  return waitForHealth(requireContainers(parts).originals, back, healthMs);
}

/** Connects our running containers to the old networks, so that they and the restored ones reach each other. */
export async function joinOldNetworks(parts: Parts, row: AdoptionRow, all: readonly RestoredService[]): Promise<void> {
  if (!all.some(({ oldNetworks }) => oldNetworks.length)) return;
  const own = (await containersOn(parts, row)).filter(({ state }) => state === 'running');
  for (const { service, oldNetworks } of all)
    for (const { network, names } of oldNetworks)
      for (const { id } of own.filter(({ owner }) => owner.service === service))
        await requireContainers(parts)
          .originals.join(id, network, names)
          .catch((error: unknown) => {
            // Not required for the restore.
            if (!(error instanceof EngineError)) throw error;
          });
}

/**
 * Waits until containers with a health check are healthy, up to `withinMs`. Returns warnings for those that are not.
 */
async function waitForHealth(
  engine: Pick<OriginalContainers, 'look'>,
  originals: readonly Original[],
  withinMs: number,
): Promise<string[]> {
  const giveUp = Date.now() + withinMs;
  const wait = async (original: Original): Promise<string[]> => {
    const title = originalTitle(original);
    for (;;) {
      const now = await engine.look(original.containerId);
      if (now?.health === 'unhealthy') return [`the ${title} runs again, but its health check fails`];
      if (now?.health === 'healthy' || now?.state !== 'running') return [];
      if (now.health !== 'starting') {
        await sleep(Math.min(comesUpMs, withinMs));
        return [];
      }
      if (Date.now() >= giveUp)
        return [`the ${title} runs again, but its health check has not passed after ${withinMs / 1000} s`];
      await sleep(betweenMs);
    }
  };
  return (await Promise.all(originals.map(wait))).flat();
}
