import { appRelease } from './release-spec.ts';
import type { ReleaseSpec } from '../../../drivers/runtime/runtime.ts';
import { ceilingOf } from '../limits/container.ts';
import { type DeploymentConfig, edgeKey } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { DeploymentRow } from '../model/store.ts';
import { withSourceSettings } from '../model/source-settings.ts';
import { endpointsOfStack } from './endpoints-of-stack.ts';
import { contentDigestOf, type ServiceState, type Stack } from '../model/stack.ts';
import { serviceRelease } from './service-spec/service-spec.ts';

export type OpenedStack = {
  deployment: DeploymentRow;
  config: DeploymentConfig;
  stack: Stack;
  states: readonly ServiceState[];
};

/**
 * Returns everything the runtime needs to start one service, now or after a reboot, and prepares the files that it
 * mounts.
 */
export async function prepareRelease(
  parts: Parts,
  { deployment, config, stack, states }: OpenedStack,
  name: string,
  isNamedAtOnce: boolean,
): Promise<ReleaseSpec> {
  const { projectId, environment } = deployment;
  const state = states.find((each) => each.name === name);
  if (stack.app && state) {
    const settled = withSourceSettings(config, stack.app);
    return appRelease(parts, { deployment, config: settled, stack, recipe: stack.app }, state);
  }
  const image = state?.image;
  if (!image) throw new Error(`there is no image of ${name}`);
  const endpoint = endpointsOfStack({ parts, config, environment }, { stack, states }).find(
    ({ service }) => service === name,
  );
  const networkOwners = Object.fromEntries(states.map((state) => [state.name, state.runsOf ?? deployment.id]));
  return serviceRelease({
    stack,
    service: name,
    image,
    owner: {
      instanceId: parts.instanceId,
      organizationId: deployment.organizationId,
      projectId,
      deploymentId: deployment.id,
      service: name,
      fence: deployment.fence,
    },
    stackKey: edgeKey(deployment),
    networkOwners,
    mountPath: await layOutFiles(parts, { projectId, environment }, stack, name),
    isNamedAtOnce,
    endpointPort: endpoint?.port ?? null,
    ceiling: ceilingOf(parts, config),
    trusted: config.trusted === true,
    mode: parts.mode,
  });
}

export const replicaOfRelease = <T extends ReleaseSpec>(spec: T, replica: number): T =>
  replica === 1 ? spec : { ...spec, owner: { ...spec.owner, replica } };

type Where = Pick<DeploymentRow, 'projectId' | 'environment'>;

/**
 * Prepares the files that a service mounts. Files and read-only folders are mounted from the content store. A writable
 * folder, or one that the source does not have, belongs to the project and is kept across releases.
 */
export async function layOutFiles(
  { contents }: Pick<Parts, 'contents'>,
  { projectId, environment }: Where,
  stack: Stack,
  name: string,
) {
  const binds = stack.project.services
    .flatMap(({ mounts }) => mounts)
    .flatMap((mount) => (mount.type === 'bind' && mount.source.isInside ? [mount] : []));
  const folders = new Map<string, string>();
  for (const { source, isReadOnly } of binds) {
    const digest = contentDigestOf(stack, name, source.path);
    const isFile = digest !== null && (await contents.kindOf(projectId, digest)) === 'file';
    if (isFile || (digest !== null && isReadOnly) || folders.has(source.path)) continue;
    const bind = { projectId, environment, path: source.path, digest };
    folders.set(source.path, await contents.materialize(bind));
  }
  return (path: string, digest: string | null, isWritable: boolean): string => {
    const folder = folders.get(path);
    if (folder !== undefined && (isWritable || digest === null)) return folder;
    return contents.path(projectId, digest!);
  };
}
