import type { Owner } from '../runtime.ts';
import type { Labels } from './engine/types.ts';

const prefix = 'mooring.';

/** Whose it is, for what a project has only one of. */
export const projectLabels = ({ instanceId, organizationId, projectId }: Owner): Labels => ({
  [`${prefix}instance`]: instanceId,
  [`${prefix}organization`]: organizationId,
  [`${prefix}project`]: projectId,
});

export const ownerLabels = (owner: Owner): Labels => ({
  ...projectLabels(owner),
  [`${prefix}deployment`]: owner.deploymentId,
  [`${prefix}service`]: owner.service,
  // An image may have a label of this name.
  [`${prefix}replica`]: String(owner.replica ?? ''),
  [`${prefix}fence`]: String(owner.fence),
});

/** Undefined for what is not of this instance of Mooring, or not labelled as a whole: then it is not ours to touch. */
export function ownerOf(labels: Labels | null, instanceId: string): Owner | undefined {
  const label = (name: string) => labels?.[prefix + name];
  const [organizationId, projectId] = [label('organization'), label('project')];
  const [deploymentId, service, fence] = [label('deployment'), label('service'), label('fence')];
  if (label('instance') !== instanceId || organizationId === undefined || projectId === undefined) return undefined;
  if (deploymentId === undefined || service === undefined || fence === undefined) return undefined;
  const replica = Number(label('replica') || 0);
  const whose = { instanceId, organizationId, projectId, deploymentId, service };
  return { ...whose, fence: Number(fence), ...(replica > 1 && { replica }) };
}

/** What a search is narrowed to. */
export interface Narrow {
  project?: string;
  deployment?: string;
  service?: string;
  stack?: string;
}

/** A filter for the engine: this instance's, narrowed to a project, a stack or a deployment. */
export const oursFilter = (instanceId: string, narrow: Narrow = {}) => ({
  label: Object.entries({ instance: instanceId, ...narrow }).map(([name, value]) => `${prefix}${name}=${value}`),
});

/** What a person calls the image, and what the container was made from. */
export const imageLabel = `${prefix}image`;
export const specLabel = `${prefix}spec`;
/** The names of its secret variables, as JSON. */
export const secretsLabel = `${prefix}secrets`;

/** On a container that is never started and goes when something was copied: the instance. */
export const copyLabel = `${prefix}copy`;

export const instanceLabel = `${prefix}instance`;
/** On what is ours and of no project, as an edge: what it is for. */
export const roleLabel = `${prefix}role`;
export const organizationLabel = `${prefix}organization`;
export const projectLabel = `${prefix}project`;
export const deploymentLabel = `${prefix}deployment`;
export const serviceLabel = `${prefix}service`;
/** On everything of a stack. */
export const stackLabel = `${prefix}stack`;
/** Apps of 0.1.0 are of no stack: what their labels say of services is their image's. */
export const isStackLabelled = (labels: Labels | null): boolean => Boolean(labels?.[stackLabel]);
/** The stack's own names of a network and of a volume. */
export const networkLabel = `${prefix}network`;
export const volumeLabel = `${prefix}volume`;
/** Which of the two engine networks that make one of the stack. */
export const sideLabel = `${prefix}side`;
/** On a container that would have an init process, if the engine had one. */
export const noInitLabel = `${prefix}no-init`;
/** On a service: the restart policy that it has while it is wanted, as JSON. */
export const restartLabel = `${prefix}restart`;
/** On a service: where we reach it, as `host:port`. */
export const reachedLabel = `${prefix}reached`;
/** On a service that had its names from its start: others may know it by them for as long as it runs. */
export const namedLabel = `${prefix}named`;

/** What a file says, without what would pass for a label of ours or of Compose. */
export const labelsOfUser = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).filter(([name]) => !name.startsWith(prefix) && !name.startsWith('com.docker.compose.')),
  );
