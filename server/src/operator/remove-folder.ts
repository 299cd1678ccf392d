import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemPath } from './update/system-path.ts';

const run = promisify(execFile);
const attempts = 5;
const pauseMs = 200;

/** Removes a folder with everything in it, also what is on disks that are mounted there. Returns the mount points, which
 * stay as empty folders. Throws if something else is left, after the rest was removed. */
export async function removeFolder(folder: string): Promise<string[]> {
  for (let attempt = 1; ; attempt++) {
    // Unlike that of Node, it goes on after an error.
    const lines = await run('rm', ['-rf', '--', folder], { env: { PATH: systemPath, LC_ALL: 'C' } }).then(
      () => [],
      ({ stderr = '', message }: Error & { stderr?: string }) => (stderr.trim() || message).split('\n'),
    );
    if (!existsSync(folder)) return [];
    const busy = lines.map((line) => /^rm: cannot remove '(.*)': Device or resource busy$/.exec(line)?.[1]);
    const mounts = busy.filter((path) => path !== undefined);
    if (lines.length && mounts.length === lines.length) return mounts;
    // A program that is about to end may still have written.
    if (attempt === attempts) throw new Error(lines.slice(0, 3).join('; '));
    await sleep(pauseMs);
  }
}
