import { join } from 'node:path';
import type { EdgeTarget } from '../../../drivers/edge/edge.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState, type ServiceState, type Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';

/** A version of services, with the deployment that it is of. */
export type Version = { row: Pick<DeploymentRow, 'artifact_id'>; stack: Stack; states: readonly ServiceState[] };

type Running = Pick<Instance, 'host' | 'port' | 'listener'>;

/** Where a service answers: the folder of a site, or what runs of it. Undefined when that does not run, or listens nowhere. */
export function targetOf(
  { folders }: Pick<Parts, 'folders'>,
  { row, stack, states }: Version,
  service: string,
  instance: Running | undefined,
): EdgeTarget | undefined {
  const state = states.find(({ name }) => name === service);
  if (state && isSiteState(state)) {
    const within = folders.release(row.artifact_id);
    return { type: 'static', folder: join(within, state.folder!.site!), fallback: stack.app?.fallback ?? null, within };
  }
  return instance?.port ? upstreamOf(instance) : undefined;
}

export const upstreamOf = ({ host, port, listener }: Running): EdgeTarget => ({
  type: 'upstream',
  host,
  port,
  ...(listener && { listener }),
});
