// `npm start`: installs what is missing, builds what changed, and runs the service.
import { delimiter } from 'node:path';
import { installDependencies } from './install.mjs';
import { buildIfNeeded } from './build.mjs';
import { findNode24 } from './node24.mjs';
import { serviceFile, serviceFlags } from './paths.mjs';
import { become, fail } from './run.mjs';

try {
  await installDependencies({ withTools: false });
  await buildIfNeeded();
  const env = withoutNpm(process.env);
  become(findNode24(), [...serviceFlags, serviceFile, ...process.argv.slice(2)], env);
} catch (error) {
  fail(error);
}

/** What npm puts into the environment is about this folder, not about the service or what it will run. */
function withoutNpm(environment) {
  const kept = Object.entries(environment).filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/i.test(name));
  const path = (environment.PATH ?? '').split(delimiter).filter((folder) => !/node_modules[/\\]/.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
