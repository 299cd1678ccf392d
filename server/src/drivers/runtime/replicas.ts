import type { Instance, Owner } from './runtime.ts';

/** From 1 on. */
export const replicaOf = ({ replica = 1 }: Pick<Owner, 'replica'>): number => replica;

export const isReplica = (owner: Pick<Owner, 'replica'>, wanted: number | undefined): boolean =>
  wanted === undefined || replicaOf(owner) === wanted;

/** The replicas of one service as one instance: the first of them, with the others. */
export function together(replicas: readonly Instance[]): Instance | undefined {
  const [first, ...others] = replicas.toSorted((a, b) => replicaOf(a.owner) - replicaOf(b.owner));
  return first && others.length ? { ...first, others } : first;
}
