import type { ImageRegistry } from './image-registry.ts';

export const ownHints: ImageRegistry['hints'] = {
  away:
    'Ask the operator to check the service that `docker service ls --filter label=mooring.role=registry` lists, and ' +
    'MOORING_SWARM_REGISTRY_IMAGE. Then redeploy.',
  refused:
    'Ask the operator to remove the service that `docker service ls --filter label=mooring.role=registry` lists. ' +
    'Mooring creates it again. Then redeploy.',
  full: 'Ask the operator to free disk space on the node of the registry. Then redeploy.',
};

export const configuredHints: ImageRegistry['hints'] = {
  away: 'Ask the operator to check MOORING_REGISTRY, and that the machines that build and run apps reach it. Then redeploy.',
  refused: 'Ask the operator to check MOORING_REGISTRY_USER and MOORING_REGISTRY_PASSWORD. Then redeploy.',
  full: 'Ask the operator to free space in the registry. Then redeploy.',
};
