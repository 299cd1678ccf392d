import { createHash } from 'node:crypto';
import type { Labels } from '../runtime/docker/engine/types.ts';
import type { ImageOwner } from './images.ts';
import { dockerHub, parseReference } from './references.ts';

const prefix = 'mooring.';
const names = ['instance', 'organization', 'project', 'deployment', 'service'] as const;

/** What a finished image carries. */
export const imageLabels = (owner: ImageOwner): Labels => ({
  [`${prefix}instance`]: owner.instanceId,
  [`${prefix}organization`]: owner.organizationId,
  [`${prefix}project`]: owner.projectId,
  [`${prefix}deployment`]: owner.deploymentId,
  [`${prefix}service`]: owner.service,
});

/** Different for each attempt to build an image: who gives up removes what it has made itself, and nothing else. */
export const attemptLabel = `${prefix}attempt`;

export const isReservedLabel = (label: string): boolean => label.toLowerCase().startsWith(prefix);

/** Whose it says it is; undefined if it does not say everything. An image of somebody else that was made from one of ours
 * says so too: only `imageName` tells. */
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

/** The one name that we give to an image. */
export const imageName = ({ projectId, deploymentId, service }: ImageOwner): string =>
  `mooring/${fit(projectId, /^[a-z0-9]+(?:_[a-z0-9]+)*$/)}:${fit(
    service === 'app' ? deploymentId : `${deploymentId}-${service}`,
    /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}$/,
  )}`;

/** Whether it is a name of the kind that we give. No registry has such images: one that did could put its own in their place. */
export function isOwnName(name: string): boolean {
  const reference = parseReference(name);
  return reference?.registry === dockerHub && reference.repository.startsWith('mooring/');
}

/** Names of services are people's: what the engine would not take as a part of a name becomes a short hash. */
const fit = (part: string, allowed: RegExp): string =>
  allowed.test(part) && part.length <= 128 ? part : createHash('sha256').update(part).digest('hex').slice(0, 32);

/** For whatever needs a word for the builds of a deployment's service. */
export const buildKey = ({ instanceId, deploymentId, service }: ImageOwner): string =>
  createHash('sha256').update([instanceId, deploymentId, service].join('\0')).digest('hex').slice(0, 32);
