import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const serviceFile = join(root, 'server', 'dist', 'main.js');

/** Node flags of the service. It has few young objects: the default semi-space only uses more memory. */
export const serviceFlags = ['--max-semi-space-size=2'];

/** One heap for all threads: the few that allocate do not compete, and each heap of its own keeps a megabyte. */
export const serviceVariables = { MALLOC_ARENA_MAX: '1' };
