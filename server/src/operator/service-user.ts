import { statSync } from 'node:fs';

/** Continues as the owner of the data folder: files that root writes there would be unreadable for the service. */
export function becomeServiceUser(dataDir: string): void {
  const { uid, gid } = statSync(dataDir, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 };
  if (process.getuid?.() !== 0 || uid === 0) return;
  // With its groups, one of which may use the Docker socket.
  (process as NodeJS.Process & { initgroups(user: number, group: number): void }).initgroups(uid, gid);
  process.setgid!(gid);
  process.setuid!(uid);
}
