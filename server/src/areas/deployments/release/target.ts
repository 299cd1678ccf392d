import { join } from 'node:path';
import type { EdgeTarget, Upstream } from '../../../drivers/edge/edge.ts';
import { replicaOf } from '../../../drivers/runtime/replicas.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Parts } from '../model/parts.ts';
import { effectiveReplicas } from '../model/scale.ts';
import { isSiteState, type ServiceState, type Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';

/** A version of the services and its deployment. */
export type StackVersion = { row: Pick<DeploymentRow, 'artifactId'>; stack: Stack; states: readonly ServiceState[] };

type Running = Pick<Instance, 'host' | 'port' | 'listener'> & Partial<Pick<Instance, 'state' | 'owner' | 'others'>>;

/**
 * Returns where the edge routes a service: a site's folder, or its running instance. Undefined if it does not run or
 * has no port.
 */
export function edgeTargetOf(
  { folders }: Pick<Parts, 'folders'>,
  { row, stack, states }: StackVersion,
  service: string,
  instance: Running | undefined,
): EdgeTarget | undefined {
  const state = states.find(({ name }) => name === service);
  if (state && isSiteState(state)) {
    const within = folders.release(row.artifactId);
    return { type: 'static', folder: join(within, state.folder!.site!), fallback: stack.app?.fallback ?? null, within };
  }
  return instance?.port ? upstreamOf(instance, effectiveReplicas({ stack, states }, service)) : undefined;
}

/** Routes to all running replicas up to the wanted number; falls back to the first if none runs. */
export function upstreamOf({ others = [], ...first }: Running, most = Infinity): EdgeTarget {
  const wanted = others.filter(({ port, owner }) => port !== 0 && replicaOf(owner) <= most);
  const up = [first, ...wanted].filter(({ state }) => state === undefined || state === 'running');
  const [target = first, ...rest] = up;
  return { type: 'upstream', ...placeOf(target), ...(rest.length && { others: rest.map(placeOf) }) };
}

const placeOf = ({ host, port, listener }: Running): Upstream => ({ host, port, ...(listener && { listener }) });
