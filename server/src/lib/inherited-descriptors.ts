import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closedOnExec = 0o2000000;

/** Closes what whoever started us has left open. Node opens everything so that programs do not inherit it, but what it got
 * itself beyond the first descriptors would be passed on to apps and builds. To be called before anything is opened. */
export function closeInheritedDescriptors(): void {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) if (fd > 2 && isInherited(fd)) closeSync(fd);
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return !(parseInt(flags, 8) & closedOnExec);
  } catch (error) {
    // The one that listed the folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
