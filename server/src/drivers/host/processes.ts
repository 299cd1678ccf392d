import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const userEndMs = 5_000;

/** Identifies a process: pids are reused, so the start time in ticks since boot is included. */
export interface ProcessId {
  pid: number;
  startTime: string;
}

export interface ProcessFacts extends ProcessId {
  parent: number;
  group: number;
  session: number;
  /** CPU time used so far, in ticks of 10 ms. */
  ticks: number;
}

/** Returns undefined for a process that is gone; a zombie counts as gone. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const found = readStat(pid);
  return found?.ended ? undefined : found;
}

function readStat(pid: number): (ProcessFacts & { ended: boolean }) | undefined {
  const stat = readProc(`${pid}/stat`);
  if (!stat) return undefined;
  // The name is in parentheses and may contain anything, including parentheses and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields[0] === 'Z' || fields[0] === 'X';
  const number = (field: number) => Number(fields[field - 3]);
  const [parent, group, session] = [number(4), number(5), number(6)];
  return { pid, parent, group, session, ended, ticks: number(14) + number(15), startTime: fields[22 - 3]! };
}

/** Returns processes that started at `since` or later, in ticks since boot: live ones, and those that exited during
 * the scan or are zombies. Children of the latter may be missing. */
export function processesSince(since = '0'): { living: ProcessFacts[]; ended: number[] } {
  const [living, ended]: [ProcessFacts[], number[]] = [[], []];
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const found = readStat(pid);
    if (found && Number(found.startTime) < Number(since)) continue;
    if (found && !found.ended) living.push(found);
    else ended.push(pid);
  }
  return { living, ended };
}

export const allProcesses = (): ProcessFacts[] => processesSince().living;

/** Identifies a child that was just started: it may have exited, but its pid is held until we reap it. */
export function identifyChild(pid: number): ProcessId {
  const found = readStat(pid);
  if (!found) throw new Error(`process ${pid} is not a child of Mooring`);
  return { pid, startTime: found.startTime };
}

export const isAlive = (id: ProcessId | null): boolean => !!id && readProcess(id.pid)?.startTime === id.startTime;

/** Signals exactly that process. Returns false when it is gone or not ours to signal. */
export function signalProcess(id: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, signal);
  } catch (error) {
    // Gone, or owned by another user.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Kills all processes of a user, which must belong to one project only. */
export async function endProcessesOfUser(uid: number): Promise<void> {
  if (uid === 0 || uid === process.getuid?.()) throw new Error(`user ${uid} is not a project's`);
  // Repeated, because a process may fork during the scan.
  for (const giveUp = Date.now() + userEndMs; ; await sleep(20)) {
    const left = allProcesses().filter(({ pid }) => realUserOf(pid) === uid);
    if (!left.length) return;
    if (Date.now() > giveUp) throw new Error(`processes of user ${uid} do not end, not even by SIGKILL`);
    for (const each of left) signalProcess(each, 'SIGKILL');
  }
}

/** Not the owner of its /proc folder, which is root for a non-dumpable process. */
const realUserOf = (pid: number): number => Number(/^Uid:\t(\d+)/m.exec(readProc(`${pid}/status`))?.[1] ?? -1);

/** Returns its initial environment, NUL-separated. Empty where it is not readable: a foreign or kernel process, or
 * one in the middle of an exec. */
export const environmentOf = (pid: number): string => {
  const variables = readProc(`${pid}/environ`);
  return variables && `\0${variables}`;
};

/** Whether its environment has a variable with this prefix, as far as it is readable. */
export const wasStartedWith = (pid: number, variable: string): boolean => environmentOf(pid).includes(`\0${variable}`);

export const residentBytes = (pid: number): number => kilobytes(readProc(`${pid}/status`), 'VmRSS');

/** Memory with shared pages divided among their users; falls back to resident memory. */
export const proportionalBytes = (pid: number): number =>
  kilobytes(readProc(`${pid}/smaps_rollup`), 'Pss') || residentBytes(pid);

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;

let boot = '';
/** Changes with each boot of the machine. */
export const bootId = (): string => (boot ||= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch (error) {
    // Gone since the listing, or not readable.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
