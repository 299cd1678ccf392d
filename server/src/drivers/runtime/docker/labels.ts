import type { Owner } from '../runtime.ts';
import type { Labels } from './engine-types.ts';

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
  [`${prefix}fence`]: String(owner.fence),
});

/** Undefined for what is not of this instance of Mooring, or not labelled as a whole: then it is not ours to touch. */
export function ownerOf(labels: Labels | null, instanceId: string): Owner | undefined {
  const label = (name: string) => labels?.[prefix + name];
  const [organizationId, projectId] = [label('organization'), label('project')];
  const [deploymentId, service, fence] = [label('deployment'), label('service'), label('fence')];
  if (label('instance') !== instanceId || organizationId === undefined || projectId === undefined) return undefined;
  if (deploymentId === undefined || service === undefined || fence === undefined) return undefined;
  return { instanceId, organizationId, projectId, deploymentId, service, fence: Number(fence) };
}

/** A filter for the engine: this instance's, narrowed to a project or a deployment. */
export const oursFilter = (instanceId: string, narrow: { project?: string; deployment?: string } = {}) => ({
  label: Object.entries({ instance: instanceId, ...narrow }).map(([name, value]) => `${prefix}${name}=${value}`),
});

/** What a person calls the image, and what the container was made from. */
export const imageLabel = `${prefix}image`;
export const specLabel = `${prefix}spec`;
/** The names of its secret variables, as JSON. */
export const secretsLabel = `${prefix}secrets`;
