import { type Edge, isReplicaKey } from '../edge.ts';
import type { Companion } from './process/companion.ts';
import type { Traffic } from './traffic.ts';

export type TrafficControl = Pick<Edge, 'drain' | 'hold' | 'resume'>;

/** Drains, holds and resumes a deployment in this process and in all others that serve connections of this edge. */
export function trafficControlOf(
  { inFlight, holds, upstreams, replicas }: Traffic,
  companions: () => Companion[],
): TrafficControl {
  const everywhere = async (
    deploymentId: string,
    each: (rest: TrafficControl) => Promise<number>,
    here: Promise<number>,
  ) => {
    const counts = await Promise.all([here, ...companions().map(({ rest }) => each(rest))]);
    upstreams.closeIdle(deploymentId);
    return counts.reduce((sum, count) => sum + count, 0);
  };
  return {
    drain: (deploymentId, withinMs) =>
      everywhere(
        deploymentId,
        (rest) => rest.drain(deploymentId, withinMs),
        (isReplicaKey(deploymentId) ? replicas.inFlight : inFlight).drained(deploymentId, withinMs),
      ),
    hold(deploymentId, times) {
      holds.begin(deploymentId, times.withinMs);
      const here = inFlight.answered(deploymentId, times.drainMs);
      return everywhere(deploymentId, (rest) => rest.hold(deploymentId, times), here);
    },
    async resume(deploymentId) {
      holds.end(deploymentId);
      await Promise.all(companions().map(({ rest }) => rest.resume(deploymentId)));
    },
  };
}
