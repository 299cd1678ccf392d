// `npm run stop`: ends the service of this machine's data folder.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fail } from './run.mjs';

const dataDir = process.env.MOORING_DATA_DIR || join(homedir(), '.mooring');

try {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'service.json'), 'utf8'));
  // The number may belong to another program by now.
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('server/dist/main.js')) throw new Error('stale');
  process.kill(pid, 'SIGTERM');
  console.log(`Asked Mooring (process ${pid}) to stop.`);
} catch {
  fail(new Error(`no Mooring runs on ${dataDir}`));
}
