import type { Instance, Owner } from './runtime.ts';

/** Starts at 1. */
export const replicaOf = ({ replica = 1 }: Pick<Owner, 'replica'>): number => replica;

export const isReplica = (owner: Pick<Owner, 'replica'>, wanted: number | undefined): boolean =>
  wanted === undefined || replicaOf(owner) === wanted;

/** Combines the replicas of a service into one instance: the first, with the others. */
export function combineReplicas(replicas: readonly Instance[]): Instance | undefined {
  const [first, ...others] = replicas.toSorted((a, b) => replicaOf(a.owner) - replicaOf(b.owner));
  return first && others.length ? { ...first, others } : first;
}
