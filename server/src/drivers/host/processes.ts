import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const userEndMs = 5_000;

/** A process, never by its number alone: numbers are given again. The time of its start, in ticks since the boot, tells. */
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

/** Undefined for one that is gone; a zombie is gone too, whoever has not yet read its exit code. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const found = readStat(pid);
  return found?.ended ? undefined : found;
}

function readStat(pid: number): (ProcessFacts & { ended: boolean }) | undefined {
  const stat = readProc(`${pid}/stat`);
  if (!stat) return undefined;
  // The name is in parentheses and may itself hold anything, parentheses and spaces included.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = fields[0] === 'Z' || fields[0] === 'X';
  const number = (field: number) => Number(fields[field - 3]);
  const [parent, group, session] = [number(4), number(5), number(6)];
  return { pid, parent, group, session, ended, ticks: number(14) + number(15), startTime: fields[22 - 3]! };
}

/** Everybody who began at `since` or later, in ticks since the boot: who lives, and who ended while we looked or has an
 * exit that nobody has read yet. What one of the latter started meanwhile may be missing. */
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

/** A child that we have just started: it may have ended by now, but its number is held until we have read its exit. */
export function identifyChild(pid: number): ProcessId {
  const found = readStat(pid);
  if (!found) throw new Error(`process ${pid} is no child of ours`);
  return { pid, startTime: found.startTime };
}

export const isAlive = (id: ProcessId | null): boolean => !!id && readProcess(id.pid)?.startTime === id.startTime;

/** Sends it to that process and no other. False when it is gone, or not ours to signal. */
export function signalProcess(id: ProcessId, signal: NodeJS.Signals): boolean {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, signal);
  } catch (error) {
    // Gone, or somebody else's.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Kills everything of a user, whatever it has become. For a user that is nobody else's. */
export async function endProcessesOfUser(uid: number): Promise<void> {
  if (uid === 0 || uid === process.getuid?.()) throw new Error(`user ${uid} is not a project's`);
  // Again and again: one of them may be forking while we look.
  for (const giveUp = Date.now() + userEndMs; ; await sleep(20)) {
    const left = allProcesses().filter(({ pid }) => realUserOf(pid) === uid);
    if (!left.length) return;
    if (Date.now() > giveUp) throw new Error(`processes of user ${uid} do not end, not even by SIGKILL`);
    for (const each of left) signalProcess(each, 'SIGKILL');
  }
}

/** Not by the owner of its folder in /proc, which is root for a process that hides its memory. */
const realUserOf = (pid: number): number => Number(/^Uid:\t(\d+)/m.exec(readProc(`${pid}/status`))?.[1] ?? -1);

/** What it was started with, each variable between zeros. Empty where it does not show: a process of somebody else, of
 * the kernel, or one that is just becoming another program. */
export const environmentOf = (pid: number): string => {
  const variables = readProc(`${pid}/environ`);
  return variables && `\0${variables}`;
};

/** Whether it was started with a variable that begins so, as far as it shows. */
export const wasStartedWith = (pid: number, variable: string): boolean => environmentOf(pid).includes(`\0${variable}`);

export const residentBytes = (pid: number): number => kilobytes(readProc(`${pid}/status`), 'VmRSS');

/** Memory with shared pages divided among those who share them; all of the resident pages where that is not shown. */
export const proportionalBytes = (pid: number): number =>
  kilobytes(readProc(`${pid}/smaps_rollup`), 'Pss') || residentBytes(pid);

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;

let boot = '';
/** Another one after each boot of the machine. */
export const bootId = (): string => (boot ||= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch (error) {
    // Gone between two looks, or not ours to see.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
