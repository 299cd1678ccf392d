import type { Adoption } from '../../server-queries.ts';

/** The names of the containers that are stopped for a project. */
export const keptOf = ({ services }: Adoption): string =>
  services
    .flatMap(({ originals }) => originals.filter(({ standing }) => standing === 'stopped'))
    .map(({ name }) => name)
    .join(', ');
