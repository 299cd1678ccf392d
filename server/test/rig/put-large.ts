import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PutFigures, PutTask } from './put-program.ts';

const source = join(import.meta.dirname, 'put-program.ts');

// As `scripts/paths.mjs` has them for the service.
const serviceFlags = ['--max-semi-space-size=2'];

/** Stores an object in a process of its own, by the program as it is or as it was bundled. */
export async function putInChild(task: PutTask, program = source, env: NodeJS.ProcessEnv = {}): Promise<PutFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [...serviceFlags, program, JSON.stringify(task)], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as PutFigures;
}
