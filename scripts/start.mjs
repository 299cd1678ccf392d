// `npm start`: installs missing dependencies, builds changed sources, and runs the service.
import { delimiter } from 'node:path';
import { installDependencies } from './install.mjs';
import { buildIfNeeded } from './build.mjs';
import { findNode24 } from './node24.mjs';
import { serviceFile, serviceFlags, serviceVariables } from './paths.mjs';
import { become, fail } from './run.mjs';

try {
  await installDependencies({ withTools: false });
  await buildIfNeeded();
  const env = { ...serviceVariables, ...withoutNpm(process.env) };
  become(findNode24(), [...serviceFlags, serviceFile, ...process.argv.slice(2)], env);
} catch (error) {
  fail(error);
}

/** npm's variables concern this folder, not the service or its apps. */
function withoutNpm(environment) {
  const kept = Object.entries(environment).filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/i.test(name));
  const path = (environment.PATH ?? '').split(delimiter).filter((folder) => !/node_modules[/\\]/.test(folder));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
