import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export const processes = (): number[] =>
  existsSync('/proc')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number)
    : [];

/** Other processes that refer to the folder, or work in it. */
export const processesOf = (folder: string): number[] =>
  processes().filter((pid) => pid !== process.pid && belongsTo(pid, folder));

/** Kills detached processes: an edge, supervisors, apps. */
/** The direct children of a process. */
export const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

export const endProcessesOf = (folder: string): void => endProcesses(processesOf(folder));

/** The name of its program; empty if there is none, or if it is a zombie. */
export function programOf(pid: number): string {
  const [, name, state] = /\((.*)\) (\S)/s.exec(statOf(pid)) ?? [];
  return state && state !== 'Z' && state !== 'X' ? name! : '';
}

export function endProcesses(pids: number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // It has ended, as the child of a process that was just killed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}

/** Blocks synchronously until none is left. */
export function waitForNone(look: () => number[], withinMs = 5_000): void {
  for (
    const end = Date.now() + withinMs;
    look().length;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  )
    if (Date.now() > end) throw new Error(`processes do not end: ${look().join(', ')}`);
}

function belongsTo(pid: number, folder: string): boolean {
  try {
    // Also within an argument, such as `--data-root=`.
    const names = (text: string) => `${text}/`.includes(`${folder}/`);
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').some(names) || names(readlinkSync(`/proc/${pid}/cwd`))
    );
  } catch {
    // It has ended, or is not readable.
    return false;
  }
}

/** The start time of a process in kernel ticks; empty if there is none. */
export function startTime(pid: number): string {
  const stat = statOf(pid);
  return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? '';
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
