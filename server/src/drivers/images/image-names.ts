import { createHash } from 'node:crypto';
import type { Labels } from '../runtime/docker/engine/types.ts';
import type { ImageOwner } from './images.ts';
import { dockerHub, parseReference } from './references.ts';

const prefix = 'mooring.';
const names = ['instance', 'organization', 'project', 'deployment', 'service'] as const;

/** Labels of a built image. */
export const imageLabels = (owner: ImageOwner): Labels => ({
  [`${prefix}instance`]: owner.instanceId,
  [`${prefix}organization`]: owner.organizationId,
  [`${prefix}project`]: owner.projectId,
  [`${prefix}deployment`]: owner.deploymentId,
  [`${prefix}service`]: owner.service,
});

/** Unique for each build attempt: a cancelled one removes only its own image. */
export const attemptLabel = `${prefix}attempt`;

export const isReservedLabel = (label: string): boolean => label.toLowerCase().startsWith(prefix);

/** Returns the owner according to the labels; undefined if any is missing. Images built from ours inherit the labels:
 * only `imageName` is conclusive. */
export function imageOwnerOf(labels: Labels | null | undefined): ImageOwner | undefined {
  const values = names.map((name) => labels?.[prefix + name]);
  if (values.some((value) => value === undefined)) return undefined;
  const [instanceId, organizationId, projectId, deploymentId, service] = values as string[];
  return {
    instanceId: instanceId!,
    organizationId: organizationId!,
    projectId: projectId!,
    deploymentId: deploymentId!,
    service: service!,
  };
}

export const ofInstance = (instanceId: string): string => `${prefix}instance=${instanceId}`;

/** Returns our name for an image. */
export const imageName = ({ projectId, deploymentId, service }: ImageOwner): string =>
  `mooring/${fit(projectId, /^[a-z0-9]+(?:_[a-z0-9]+)*$/)}:${fit(
    service === 'app' ? deploymentId : `${deploymentId}-${service}`,
    /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}$/,
  )}`;

/** Whether it is one of our names. These are never pulled: a registry could substitute its own image. */
export function isOwnName(name: string): boolean {
  const reference = parseReference(name);
  return reference?.registry === dockerHub && reference.repository.startsWith('mooring/');
}

/** Service names are user input: parts that the engine would reject become a short hash. */
const fit = (part: string, allowed: RegExp): string =>
  allowed.test(part) && part.length <= 128 ? part : createHash('sha256').update(part).digest('hex').slice(0, 32);

/** Identifies the builds of a deployment's service. */
export const buildKey = ({ instanceId, deploymentId, service }: ImageOwner): string =>
  createHash('sha256').update([instanceId, deploymentId, service].join('\0')).digest('hex').slice(0, 32);
