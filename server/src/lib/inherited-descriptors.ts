import { closeSync, readdirSync, readFileSync } from 'node:fs';

const closedOnExec = 0o2000000;

/** Closes descriptors that our parent left open. Node opens everything close-on-exec, but inherited descriptors would
 * be passed on to apps and builds. Call before anything is opened. */
export function closeInheritedDescriptors(): void {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) if (fd > 2 && isInherited(fd)) closeSync(fd);
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return !(parseInt(flags, 8) & closedOnExec);
  } catch (error) {
    // The descriptor of the listing itself.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
