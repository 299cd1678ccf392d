import type { ReleaseNames } from './names.ts';

/** Nobody has a name of their own: for tests of other things. */
export const noNames: Pick<ReleaseNames, 'of' | 'all'> = {
  of: async () => ({ own: [], isSecure: () => false }),
  all: async () => () => ({ own: [], isSecure: () => false }),
};
