import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from './client.ts';
import { EngineAwayError, NodeAwayError, NoManagerError } from '../../errors.ts';

const betweenPingsMs = 200;
const mostTries = 4;

/** Retries a task that an engine outage interrupted once the engine is back. The patience counts from the start of
 * the outage, not per call: during a long outage calls fail at once. */
export function retryWhileEngineAway(
  engine: EngineClient,
  patienceMs: number,
): <T>(task: () => Promise<T>) => Promise<T> {
  let awaySince: number | undefined;

  const isBack = async (): Promise<boolean> => {
    const since = (awaySince ??= Date.now());
    for (;;) {
      try {
        await engine.ping();
        awaySince = undefined;
        return true;
      } catch (error) {
        if (!(error instanceof EngineAwayError)) throw error;
        if (Date.now() - since > patienceMs) return false;
      }
      await sleep(betweenPingsMs);
    }
  };

  return async (task) => {
    let refusedSince: number | undefined;
    for (let failures = 0; ;) {
      try {
        const result = await task();
        awaySince = undefined;
        return result;
      } catch (error) {
        // Another node was waited for already.
        const isOther = !(error instanceof EngineAwayError) || error instanceof NodeAwayError;
        const isRefused = error instanceof NoManagerError;
        if (isRefused) refusedSince ??= Date.now();
        const isEnough = isRefused ? Date.now() - refusedSince! > patienceMs : ++failures === mostTries;
        if (isOther || isEnough || !(await isBack())) throw error;
        if (isRefused) await sleep(betweenPingsMs);
      }
    }
  };
}
