import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/** Runs a program with its output shown; fails unless it exits with 0. */
export function run(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${[file, ...args].slice(0, 3).join(' ')} ended with ${signal ?? code}`));
    });
  });
}

/** Runs a program in place of this one: forwards signals and passes on its exit code. */
export function become(file, args, env = process.env) {
  const child = spawn(file, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both processes; a supervisor signals only this one.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => fail(error));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}

export function fail(error) {
  console.error(`mooring: ${error.message}`);
  process.exit(1);
}
