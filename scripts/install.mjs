// Installs the dependencies when the lock file has changed. Runs on Node 20 and later.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run } from './run.mjs';

const stampFile = join(root, 'node_modules', '.mooring-install.json');

/** `withTools` adds the dev dependencies. */
export async function installDependencies({ withTools }) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = readStamp();
  if (stamp.lock === lock && (stamp.withTools || !withTools)) return;
  console.log('Installing dependencies (once) ...');
  rmSync(stampFile, { force: true });
  // `npm ci` removes the packages of a running service; `npm install` only adds.
  const add = stamp.lock === lock ? ['install', '--no-save'] : ['ci'];
  await npm([
    ...add,
    withTools ? '--include=dev' : '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  writeFileSync(stampFile, JSON.stringify({ lock, withTools }));
}

/** The stamp of the last installation; empty if that was interrupted. */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

function npm(args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? run(process.execPath, [cli, ...args]) : run('npm', args);
}
