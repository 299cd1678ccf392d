import type { Owner } from '../runtime.ts';
import type { Labels } from './engine/types.ts';

const prefix = 'mooring.';

/** Ownership labels of objects that a project has only one of. */
export const projectLabels = ({ instanceId, organizationId, projectId }: Owner): Labels => ({
  [`${prefix}instance`]: instanceId,
  [`${prefix}organization`]: organizationId,
  [`${prefix}project`]: projectId,
});

export const ownerLabels = (owner: Owner): Labels => ({
  ...projectLabels(owner),
  [`${prefix}deployment`]: owner.deploymentId,
  [`${prefix}service`]: owner.service,
  // Always set, because an image may have a label of this name.
  [`${prefix}replica`]: String(owner.replica ?? ''),
  [`${prefix}fence`]: String(owner.fence),
});

/** Returns undefined for an object of another instance or without all labels: it is not ours to touch. */
export function ownerInLabels(labels: Labels | null, instanceId: string): Owner | undefined {
  const label = (name: string) => labels?.[prefix + name];
  const [organizationId, projectId] = [label('organization'), label('project')];
  const [deploymentId, service, fence] = [label('deployment'), label('service'), label('fence')];
  if (label('instance') !== instanceId || organizationId === undefined || projectId === undefined) return undefined;
  if (deploymentId === undefined || service === undefined || fence === undefined) return undefined;
  const replica = Number(label('replica') || 0);
  const whose = { instanceId, organizationId, projectId, deploymentId, service };
  return { ...whose, fence: Number(fence), ...(replica > 1 && { replica }) };
}

/** Restricts a search. */
export interface LabelFilter {
  project?: string;
  deployment?: string;
  service?: string;
  stack?: string;
}

/** Returns an engine filter for this instance, restricted to a project, a stack or a deployment. */
export const instanceFilter = (instanceId: string, narrow: LabelFilter = {}) => ({
  label: Object.entries({ instance: instanceId, ...narrow }).map(([name, value]) => `${prefix}${name}=${value}`),
});

/** Image name as the user wrote it. */
export const imageLabel = `${prefix}image`;
/** On a service of a Swarm: the id of its image. */
export const imageIdLabel = `${prefix}image-id`;
/** Digest of the container's spec. */
export const specLabel = `${prefix}spec`;
/** Names of the secret variables, as JSON. */
export const secretsLabel = `${prefix}secrets`;

/** On a temporary container that is never started and only used for copying: the instance. */
export const copyLabel = `${prefix}copy`;

/** On a container that a restore is tried in: its job, and its name within the job. */
export const scratchLabel = `${prefix}scratch`;
export const scratchNameLabel = `${prefix}scratch-name`;

export const instanceLabel = `${prefix}instance`;
/** On objects of ours without a project, such as an edge: their purpose. */
export const roleLabel = `${prefix}role`;
/** The role of networks that reach over the nodes of a Swarm. */
export const swarmRole = 'swarm';
/** The role of the registry that Mooring runs for a Swarm, and of everything that belongs to it. */
export const registryRole = 'registry';
/** On a service of a Swarm that has a health check. */
export const healthLabel = `${prefix}health`;
/** On a service of a Swarm that runs a command once: it must not be started again. */
export const onceLabel = `${prefix}once`;
export const organizationLabel = `${prefix}organization`;
export const projectLabel = `${prefix}project`;
export const deploymentLabel = `${prefix}deployment`;
export const serviceLabel = `${prefix}service`;
/** On every object of a stack. */
export const stackLabel = `${prefix}stack`;
/** Apps of 0.1.0 have no stack: their other service labels come from their image. */
export const isStackLabelled = (labels: Labels | null): boolean => Boolean(labels?.[stackLabel]);
/** Names of a network and of a volume in the stack. */
export const networkLabel = `${prefix}network`;
export const volumeLabel = `${prefix}volume`;
/** Which of the two engine networks behind a network of the stack. */
export const sideLabel = `${prefix}side`;
/** On a container that should have an init process, if the engine had one. */
export const noInitLabel = `${prefix}no-init`;
/** On a service: its restart policy while it should run, as JSON. */
export const restartLabel = `${prefix}restart`;
/** On a service: its address, as `host:port`. */
export const reachedLabel = `${prefix}reached`;
/** On a service that had its names from the start: others may resolve them for as long as it runs. */
export const namedLabel = `${prefix}named`;

/** Returns the user's labels without any that could pass for ours or Compose's. */
export const labelsOfUser = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).filter(([name]) => !name.startsWith(prefix) && !name.startsWith('com.docker.compose.')),
  );
