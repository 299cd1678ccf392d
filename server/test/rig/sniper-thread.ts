import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { readNotice } from '../../src/lib/data-dir.ts';
import type { Shot } from './sniper.ts';

// Polls the database in a busy loop to observe states that last a millisecond. In a thread, because it blocks.
const { dataDir, id, step, when, delayMs, withinMs, looks } = workerData as Required<Shot> & { looks: Int32Array };
const pause = new Int32Array(new SharedArrayBuffer(4));
const rest = (ms: number) => Atomics.wait(pause, 0, 0, ms);

const database = new DatabaseSync(join(dataDir, 'mooring.db'), { readOnly: true, timeout: 5000 });
const query = database.prepare(
  'select name, status, attempt from deployment_steps where deployment_id = ? order by position',
);
type Row = { name: string; status: string; attempt: number };
const rows = () => query.all(id) as Row[];
// An attempt of an earlier service does not count.
const before = rows().find(({ name }) => name === step)?.attempt ?? 0;
const end = Date.now() + withinMs;
Atomics.store(looks, 0, 1);
Atomics.notify(looks, 0);
for (;;) {
  const steps = rows();
  const at = steps.findIndex(({ name }) => name === step);
  const { status, attempt } = steps[at] ?? { status: '', attempt: 0 };
  if (when === 'running' && status === 'running' && attempt > before) break;
  if (when === 'done' && ['done', 'skipped'].includes(status)) break;
  if (Date.now() > end) throw new Error(`${step} was not ${when} in time: ${JSON.stringify(steps)}`);
  // There is time until the previous step has started.
  const near = when === 'done' ? status === 'running' : at <= 0 || steps[at - 1]!.status !== 'waiting';
  if (!near) rest(1);
}
if (delayMs) rest(delayMs);
const { pid } = readNotice(dataDir)!;
process.kill(pid, 'SIGKILL');
database.close();
