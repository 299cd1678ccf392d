// `npm run bench`: measures against something real in the same run, and prints ratio tables.
import { join } from 'node:path';
import { buildIfNeeded } from './build.mjs';
import { installDependencies } from './install.mjs';
import { findNode24 } from './node24.mjs';
import { root } from './paths.mjs';
import { fail, run } from './run.mjs';

try {
  await installDependencies({ withTools: true });
  await buildIfNeeded();
  await run(findNode24(), [join(root, 'bench', 'main.ts'), ...process.argv.slice(2)]);
} catch (error) {
  fail(error);
}
