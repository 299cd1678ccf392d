// `npm start`: installs what is missing, builds what changed, and runs the service.
import { installDependencies } from './install.mjs';
import { buildIfNeeded } from './build.mjs';
import { findNode24 } from './node24.mjs';
import { serviceFile } from './paths.mjs';
import { become, fail } from './run.mjs';

try {
  await installDependencies({ withTools: false });
  await buildIfNeeded();
  // What npm puts into the environment is about this folder, not about the service or what it will run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/i.test(name)),
  );
  become(findNode24(), ['--enable-source-maps', serviceFile, ...process.argv.slice(2)], env);
} catch (error) {
  fail(error);
}
