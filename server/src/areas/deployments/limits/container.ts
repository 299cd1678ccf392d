import type { ResourceBounds, ContainerLimits } from '../../../config.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';

/** Limits of a project for each of its containers, and the cloud's bounds for every container. */
export interface ContainerCeiling {
  memoryBytes: number | null;
  cpus: number | null;
  bounds?: ContainerLimits | undefined;
}

/** Engines treat smaller values as no limit. */
const leastCpus = 0.01;

/** Servers belong to their owners and have no bounds. */
export const ceilingOf = (
  { limits, server }: Pick<Parts, 'limits' | 'server'>,
  { memoryBytes, cpus }: Pick<DeploymentConfig, 'memoryBytes' | 'cpus'>,
): ContainerCeiling => ({ memoryBytes, cpus, bounds: server === null ? limits?.container : undefined });

/** Returns the limits of one container: its file's, else its project's, else the default, capped at the maximum. */
export function limitsUnder(
  ceiling: ContainerCeiling,
  own: Pick<ContainerCeiling, 'memoryBytes' | 'cpus'> = nothingAsked,
) {
  const { memoryBytes, cpus, bounds } = ceiling;
  const processors = bounded(own.cpus, cpus, bounds?.cpus);
  return {
    memoryBytes: bounded(own.memoryBytes, memoryBytes, bounds?.memoryBytes),
    cpus: processors === null || !bounds ? processors : Math.max(processors, leastCpus),
  };
}

/** The engine runs container health checks, and all organizations share it. */
export const healthCheckPace = ({ bounds }: ContainerCeiling) => (bounds ? { leastHealthIntervalMs: 1000 } : {});

const nothingAsked = { memoryBytes: null, cpus: null };

function bounded(own: number | null, project: number | null, bounds: ResourceBounds = { usual: null, most: null }) {
  const wanted = own ?? project ?? bounds.usual;
  return lesserOf(lesserOf(wanted, project), bounds.most);
}

export const lesserOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
