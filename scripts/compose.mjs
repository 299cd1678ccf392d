// Installs Docker Compose for comparisons and prints its path. Debian's stable package of this name is another
// program.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackFromSid } from './from-sid.mjs';
import { root } from './paths.mjs';

const folder = join(root, 'node_modules/.cache/compose');
export const composeProgram = join(folder, 'usr/libexec/docker/cli-plugins/docker-compose');

export const installCompose = () => unpackFromSid(folder, ['docker-compose']);

if (process.argv[1] === import.meta.filename) {
  if (!existsSync(composeProgram)) await installCompose();
  console.log(composeProgram);
}
