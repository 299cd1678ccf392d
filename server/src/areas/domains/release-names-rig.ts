import type { ReleaseNames } from './release-names.ts';

const none = { own: [], hasLabel: () => true, isSecure: () => false, isInstance: () => false };

/** No domains, for tests of other things. */
export const noDomains: Pick<ReleaseNames, 'of' | 'all'> = { of: async () => none, all: async () => () => none };
