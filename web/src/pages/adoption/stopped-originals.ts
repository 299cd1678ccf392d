import type { Adoption } from '../../server-queries.ts';

/** The names of the containers that are stopped for a project. */
export const stoppedOriginalNames = ({ services }: Adoption): string =>
  services
    .flatMap(({ originals }) => originals.filter(({ standing }) => standing === 'stopped'))
    .map(({ name }) => name)
    .join(', ');
