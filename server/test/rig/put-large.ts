import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PutFigures, PutTask } from './put-program.ts';

const source = join(import.meta.dirname, 'put-program.ts');

// Same as the service's in `scripts/paths.mjs`.
const serviceFlags = ['--max-semi-space-size=2'];

/** Stores an object in a child process, with the program from source or bundled. */
export async function putInChild(task: PutTask, program = source, env: NodeJS.ProcessEnv = {}): Promise<PutFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [...serviceFlags, program, JSON.stringify(task)], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as PutFigures;
}
