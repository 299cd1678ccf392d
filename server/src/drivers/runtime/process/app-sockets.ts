import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { listeningSockets, type ListeningSocket } from '../../host/listening-sockets.ts';
import { membersOf, type ProcessTree } from '../../host/process-tree.ts';

/** Returns the listening sockets of the app's processes; undefined where the kernel does not show them. */
export function socketsOf(tree: ProcessTree): ListeningSocket[] | undefined {
  const pids = membersOf(tree).map(({ pid }) => pid);
  const own = new Set<string>();
  let isShown = false;
  for (const pid of pids)
    for (const inode of inodesOf(pid) ?? []) {
      isShown = true;
      own.add(inode);
    }
  if (!isShown) return undefined;
  // Processes of one app may be in different network namespaces.
  const all = pids.flatMap((pid) => listeningSockets(tableOf(pid, 'tcp') + tableOf(pid, 'tcp6')));
  const found = new Map(all.filter(({ inode }) => own.has(inode)).map((socket) => [socket.inode, socket]));
  return [...found.values()];
}

/** Returns undefined for a process that is gone or not accessible. */
function inodesOf(pid: number): string[] | undefined {
  const folder = `/proc/${pid}/fd`;
  return ifShown(() =>
    readdirSync(folder).flatMap((fd) => {
      const target = ifShown(() => readlinkSync(`${folder}/${fd}`)) ?? '';
      return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
    }),
  );
}

const tableOf = (pid: number, name: 'tcp' | 'tcp6'): string =>
  ifShown(() => readFileSync(`/proc/${pid}/net/${name}`, 'utf8')) ?? '';

function ifShown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}
