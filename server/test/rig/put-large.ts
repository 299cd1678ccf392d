import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PutFigures, PutTask } from './put-program.ts';

/** Stores an object in a process of its own. */
export async function putInChild(task: PutTask): Promise<PutFigures> {
  const program = join(import.meta.dirname, 'put-program.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(task)]);
  return JSON.parse(stdout) as PutFigures;
}
