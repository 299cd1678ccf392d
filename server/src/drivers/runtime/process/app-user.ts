import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { projectUsers } from '../runtime.ts';

export interface AppUser {
  uid: number;
  gid: number;
}

const firstId = 61_000;

/** The numeric user that a project's apps run as. No account is made for it. */
export function userOf(projectNumber: number): AppUser {
  if (!Number.isSafeInteger(projectNumber) || projectNumber < 0)
    throw new Error(`a project's number is a whole number from 0, not ${projectNumber}`);
  const id = firstId + (projectNumber % projectUsers);
  return { uid: id, gid: id };
}

/** Whether apps can run as users of their own below `folder`, which is ours: decided once, by folders that no app owns.
 * A release's own folder must never have a say, or an app could choose to run as we do. */
export function separation(folder: string): { separate: boolean; notices: string[] } {
  if (process.getuid?.() !== 0) return { separate: false, notices: [] };
  const barrier = unreachable(folder, userOf(0));
  if (!barrier) return { separate: true, notices: [] };
  return {
    separate: false,
    notices: [`It runs as the user of the service, because users of projects may not enter ${barrier}.`],
  };
}

/** The outermost folder on the way that the user may not pass. */
function unreachable(folder: string, user: AppUser): string | undefined {
  const path = realpathSync(folder);
  const barriers: string[] = [];
  for (let each = path; ; each = dirname(each)) {
    if (!may(each, user, 0o1)) barriers.push(each);
    if (each === dirname(each)) return barriers.at(-1);
  }
}

function may(path: string, { uid, gid }: AppUser, rights: number): boolean {
  const stat = statSync(path);
  const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0;
  return ((stat.mode >> shift) & rights) === rights;
}
