import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface AppUser {
  uid: number;
  gid: number;
}

const firstId = 61_000;
const idCount = 4_000;

/** The numeric user that a project's apps run as. No account is made for it. */
export function userOf(projectNumber: number): AppUser {
  if (!Number.isSafeInteger(projectNumber) || projectNumber < 0)
    throw new Error(`a project's number is a whole number from 0, not ${projectNumber}`);
  const id = firstId + (projectNumber % idCount);
  return { uid: id, gid: id };
}

/** As whom the app runs: a user of its own where we may choose and that user can reach the folder, else as we do. */
export function chooseUser(projectNumber: number, folder: string): { user: AppUser | null; notices: string[] } {
  const user = userOf(projectNumber);
  if (process.getuid?.() !== 0) return { user: null, notices: [] };
  const barrier = unreachable(folder, user);
  if (!barrier) return { user, notices: [] };
  const notice = `It runs as the user of the service, because the user of its project (${user.uid}) may not enter ${barrier}.`;
  return { user: null, notices: [notice] };
}

/** The first folder on the way that the user may not pass; also the last one must be readable. */
function unreachable(folder: string, user: AppUser): string | undefined {
  const path = realpathSync(folder);
  const barriers: string[] = may(path, user, 0o5) ? [] : [path];
  for (let each = dirname(path); ; each = dirname(each)) {
    if (!may(each, user, 0o1)) barriers.push(each);
    if (each === dirname(each)) return barriers.at(-1);
  }
}

function may(path: string, { uid, gid }: AppUser, rights: number): boolean {
  const stat = statSync(path);
  const shift = stat.uid === uid ? 6 : stat.gid === gid ? 3 : 0;
  return ((stat.mode >> shift) & rights) === rights;
}
