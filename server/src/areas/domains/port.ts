// The functions and types that other areas may import. The architecture test refuses imports of other files.
export type { Brought } from './domains/brought.ts';
export { requireFreeLabel } from './domains/name.ts';
export type { Domains, FindServices } from './domains/service.ts';
export type { Names, OwnName, ReleaseNames } from './names.ts';
