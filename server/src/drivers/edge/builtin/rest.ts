import { type Edge, isReplicaKey } from '../edge.ts';
import type { Predecessor } from './process/predecessor.ts';
import type { Traffic } from './traffic.ts';

export type Rest = Pick<Edge, 'drain' | 'hold' | 'resume'>;

/** Drains, holds and resumes a deployment in this edge and in its predecessor while that still serves. */
export function restOf({ inFlight, holds, upstreams, replicas }: Traffic, predecessor: Predecessor | null): Rest {
  const everywhere = async (deploymentId: string, here: Promise<number>, before: Promise<number> | undefined) => {
    const left = (await here) + ((await before) ?? 0);
    upstreams.closeIdle(deploymentId);
    return left;
  };
  return {
    drain: (deploymentId, withinMs) =>
      everywhere(
        deploymentId,
        (isReplicaKey(deploymentId) ? replicas.inFlight : inFlight).drained(deploymentId, withinMs),
        predecessor?.rest.drain(deploymentId, withinMs),
      ),
    hold(deploymentId, times) {
      holds.begin(deploymentId, times.withinMs);
      const here = inFlight.answered(deploymentId, times.drainMs);
      return everywhere(deploymentId, here, predecessor?.rest.hold(deploymentId, times));
    },
    async resume(deploymentId) {
      holds.end(deploymentId);
      await predecessor?.rest.resume(deploymentId);
    },
  };
}
