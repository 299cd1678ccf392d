import type { Badge } from '../../ui/badge.tsx';
import type { ReplicaState, ServiceState } from './service-state.ts';

type Kind = Parameters<typeof Badge>[0]['kind'];
type Look = { title: string; kind: Kind };

/** `1 replica`, `3 replicas`. */
export const replicasIn = (count: number): string => `${count} ${count === 1 ? 'replica' : 'replicas'}`;

/** `2 of 3 replicas are ready`. */
export const readyIn = ({ ready, wanted }: Pick<ServiceState, 'ready' | 'wanted'>): string =>
  `${ready} of ${replicasIn(wanted)} ${wanted === 1 ? 'is' : 'are'} ready`;

export function lookOfService({ ready, wanted, isCompleted }: ServiceState): Look {
  if (isCompleted) return { title: 'Completed', kind: 'good' };
  return { title: `${ready} of ${wanted} ready`, kind: ready === wanted ? 'good' : ready > 0 ? 'warn' : 'danger' };
}

export function lookOfReplica({ container: { state, health, exitCode }, isStopping }: ReplicaState): Look {
  if (isStopping) return { title: 'Stopping', kind: 'plain' };
  if (state === 'restarting') return { title: 'Restarting', kind: 'warn' };
  if (state !== 'running')
    return {
      title: exitCode === null ? 'Exited' : `Exited (code ${exitCode})`,
      kind: exitCode === 0 ? 'plain' : 'danger',
    };
  if (health === 'starting') return { title: 'Starting', kind: 'accent' };
  if (health === 'unhealthy') return { title: 'Unhealthy', kind: 'danger' };
  return { title: health === 'healthy' ? 'Healthy' : 'Running', kind: 'good' };
}

/** `0.4%`, `12%`. */
export const percentOf = (percent: number): string =>
  `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
