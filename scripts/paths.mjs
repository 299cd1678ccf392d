import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const serviceFile = join(root, 'server', 'dist', 'main.js');

/** How Node runs the service. Its young objects are few: with the usual room for them it only takes more memory. */
export const serviceFlags = ['--max-semi-space-size=2'];
