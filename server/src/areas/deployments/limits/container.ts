import type { Bounds, ContainerLimits } from '../../../config.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';

/** What the settings of a project say of each of its containers, and what a cloud says of every one. */
export interface Ceiling {
  memoryBytes: number | null;
  cpus: number | null;
  bounds?: ContainerLimits | undefined;
}

/** Less is no limit for an engine. */
const leastCpus = 0.01;

/** For containers of one deployment. Servers are their owners' own. */
export const ceilingOf = (
  { limits, server }: Pick<Parts, 'limits' | 'server'>,
  { memoryBytes, cpus }: Pick<DeploymentConfig, 'memoryBytes' | 'cpus'>,
): Ceiling => ({ memoryBytes, cpus, bounds: server === null ? limits?.container : undefined });

/** What one container gets: what its file asks for, else its project, else what is usual; never more than there is. */
export function boundedBy(ceiling: Ceiling, own: Pick<Ceiling, 'memoryBytes' | 'cpus'> = nothingAsked) {
  const { memoryBytes, cpus, bounds } = ceiling;
  const processors = bounded(own.cpus, cpus, bounds?.cpus);
  return {
    memoryBytes: bounded(own.memoryBytes, memoryBytes, bounds?.memoryBytes),
    cpus: processors === null || !bounds ? processors : Math.max(processors, leastCpus),
  };
}

/** The checks of containers are made by the engine, which all share. */
export const pacedBy = ({ bounds }: Ceiling) => (bounds ? { leastHealthIntervalMs: 1000 } : {});

const nothingAsked = { memoryBytes: null, cpus: null };

function bounded(own: number | null, project: number | null, bounds: Bounds = { usual: null, most: null }) {
  const wanted = own ?? project ?? bounds.usual;
  return least(least(wanted, project), bounds.most);
}

export const least = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
