import { posix } from 'node:path';
import type { SourceTree } from '../../detect/detect.ts';

// In the order of Docker Compose.
export const composeFileNames = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
export const overrideFileNames = [
  'compose.override.yml',
  'compose.override.yaml',
  'docker-compose.override.yml',
  'docker-compose.override.yaml',
];

/** Returns the compose file of a folder and its override file, as paths in the source; empty if there is none. */
export async function findComposeFiles(tree: SourceTree, folder = ''): Promise<string[]> {
  const present = new Set(await tree.list(folder));
  const main = composeFileNames.find((name) => present.has(name));
  if (!main) return [];
  const override = overrideFileNames.find((name) => present.has(name));
  return [main, ...(override ? [override] : [])].map((name) => posix.join(folder, name));
}
