// `npm run bench`: compares with real programs in the same run, and prints tables of ratios.
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
