import { join } from 'node:path';
import type { EdgeTarget, Upstream } from '../../../drivers/edge/edge.ts';
import { replicaOf } from '../../../drivers/runtime/replicas.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Parts } from '../model/parts.ts';
import { replicasOf } from '../model/scale.ts';
import { isSiteState, type ServiceState, type Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';

/** A version of services, with the deployment that it is of. */
export type Version = { row: Pick<DeploymentRow, 'artifactId'>; stack: Stack; states: readonly ServiceState[] };

type Running = Pick<Instance, 'host' | 'port' | 'listener'> & Partial<Pick<Instance, 'state' | 'owner' | 'others'>>;

/** Where a service answers: the folder of a site, or what runs of it. Undefined when that does not run, or listens nowhere. */
export function edgeTargetOf(
  { folders }: Pick<Parts, 'folders'>,
  { row, stack, states }: Version,
  service: string,
  instance: Running | undefined,
): EdgeTarget | undefined {
  const state = states.find(({ name }) => name === service);
  if (state && isSiteState(state)) {
    const within = folders.release(row.artifactId);
    return { type: 'static', folder: join(within, state.folder!.site!), fallback: stack.app?.fallback ?? null, within };
  }
  return instance?.port ? upstreamOf(instance, replicasOf({ stack, states }, service)) : undefined;
}

/** All of its replicas that run, as far as they are wanted; the first one in any case. */
export function upstreamOf({ others = [], ...first }: Running, most = Infinity): EdgeTarget {
  const wanted = others.filter(({ port, owner }) => port !== 0 && replicaOf(owner) <= most);
  const up = [first, ...wanted].filter(({ state }) => state === undefined || state === 'running');
  const [target = first, ...rest] = up;
  return { type: 'upstream', ...placeOf(target), ...(rest.length && { others: rest.map(placeOf) }) };
}

const placeOf = ({ host, port, listener }: Running): Upstream => ({ host, port, ...(listener && { listener }) });
