import { join } from 'node:path';
import { isTemporary, keyName } from '../../src/drivers/storage/keys.ts';
import { exited, spawnRecorded } from './children.ts';
import type { PutTask } from './put-program.ts';
import { until } from './until.ts';

const program = join(import.meta.dirname, 'put-program.ts');

// An upload that has only begun has left neither a note nor a part.
const isOurs = (name: string) => isTemporary(keyName(name));

/** Lets a process start to store an object, and kills it once it has left traces, before it can clean up. */
export async function killPut(task: PutTask, leftovers: () => Promise<string[]>): Promise<void> {
  const child = spawnRecorded(process.execPath, [program, JSON.stringify(task)], { stdio: 'ignore' });
  try {
    await until('the put has left something', async () => (await leftovers()).some(isOurs), 50_000);
  } finally {
    child.kill('SIGKILL');
    await exited(child);
  }
}
