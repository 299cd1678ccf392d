// `npm run stop`: ends the service of this machine's data folder.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fail } from './run.mjs';

const dataDir = process.env.MOORING_DATA_DIR || join(homedir(), '.mooring');

function runningService() {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
  // After a kill -9 the number may belong to another program by now.
  const commandLine = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self') && !readFileSync(commandLine, 'utf8').includes('main.js')) throw new Error('stale');
  return pid;
}

let pid;
try {
  pid = runningService();
} catch {
  fail(new Error(`no Mooring runs on ${dataDir}`));
}
try {
  process.kill(pid, 'SIGTERM');
  console.log(`Asked Mooring (process ${pid}) to stop.`);
} catch (error) {
  fail(new Error(`process ${pid} cannot be stopped: ${error.message}`));
}
