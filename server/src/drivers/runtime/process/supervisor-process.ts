import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WriterLog } from '../records/log-writer.ts';
import { endTree } from '../../host/process-tree.ts';
import { bootId, identifyChild, isAlive, type ProcessId, signalProcess } from '../../host/processes.ts';
import { type InstanceRecord, readRecord, treeOf, writeRecord } from './state-file.ts';
import { graceFile, type SupervisorSpec, usualGraceMs } from './supervisor-spec.ts';

/** All that a supervisor needs, but for its own process number. */
export type NewTask = Omit<SupervisorSpec, 'record'> & { record: Omit<InstanceRecord, 'supervisor'> };

const startWithinMs = 20_000;
/** What a supervisor needs beyond the grace: killing what is left, and the machine being slow. */
const stopMarginMs = 8_000;

const thisBoot = (record: InstanceRecord): boolean => record.bootId === bootId();
export const supervisorAlive = (record: InstanceRecord): boolean => thisBoot(record) && isAlive(record.supervisor);
export const appAlive = (record: InstanceRecord): boolean => thisBoot(record) && isAlive(record.app);

/** Starts a supervisor and returns once it has started the app. The record is on disk before the supervisor learns what
 * to do, so whoever comes after a crash of ours finds it; without its whole task it ends by itself. */
export async function launch(program: string, { record, ...task }: NewTask): Promise<InstanceRecord> {
  const { folder } = task;
  // Of the instance before: it would shorten the first stop.
  rmSync(join(folder, graceFile), { force: true });
  const output = openSync(join(folder, 'supervisor.log'), 'w', 0o600);
  try {
    const child = spawn(process.execPath, [...memoryFlags(task.app), program, folder], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', output],
    });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    // It has ended before it read its task: waiting for the start tells why.
    child.stdin!.on('error', () => {});
    const supervisor = child.pid === undefined ? await failed : identifyChild(child.pid);
    const whole: InstanceRecord = { ...record, supervisor };
    try {
      writeRecord(folder, whole);
    } catch (error) {
      // Without a task it ends.
      child.stdin!.destroy();
      throw error;
    }
    child.stdin!.end(`${JSON.stringify({ ...task, record: whole } satisfies SupervisorSpec)}\n`);
    child.unref();
    return await untilStarted(folder, supervisor, record.starts + 1);
  } finally {
    closeSync(output);
  }
}

/** Waits until the supervisor has started the app for the `starts`th time. */
export async function untilStarted(folder: string, supervisor: ProcessId, starts = 1): Promise<InstanceRecord> {
  for (const giveUp = Date.now() + startWithinMs; Date.now() < giveUp; await sleep(15)) {
    const alive = isAlive(supervisor);
    const record = readRecord(folder);
    if (record && record.starts >= starts) return record;
    if (!alive) throw new Error(`the supervisor ended before it had started the app${lastWords(folder)}`);
  }
  throw new Error(`the supervisor did not start the app within ${startWithinMs / 1000} s${lastWords(folder)}`);
}

/** The instance as it runs under its supervisor, waiting for one that a call before us has just begun. */
export async function findRunning(
  folder: string,
  record: InstanceRecord,
  report: WriterLog,
): Promise<InstanceRecord | undefined> {
  if (!supervisorAlive(record) || record.status === 'stopped') return undefined;
  if (record.starts) return record;
  try {
    return await untilStarted(folder, record.supervisor);
  } catch (error) {
    report('a start that was cut short is made again', error);
    return undefined;
  }
}

/** Stops whatever of the instance runs, with its supervisor or without one. */
export async function end(folder: string, record: InstanceRecord, graceMs: number, report: WriterLog): Promise<void> {
  if (!thisBoot(record)) return;
  const supervised = supervisorAlive(record);
  if (supervised) await stopSupervisor(folder, record, graceMs, report);
  // A supervisor that was killed leaves the app alone; its group, its session and the marker still name it.
  const latest = readRecord(folder) ?? record;
  await endTree(treeOf(latest), supervised ? 0 : graceMs);
  if (latest.status !== 'stopped') writeRecord(folder, { ...latest, app: null, status: 'stopped' });
}

async function stopSupervisor(
  folder: string,
  record: InstanceRecord,
  graceMs: number,
  report: WriterLog,
): Promise<void> {
  try {
    writeFileSync(join(folder, graceFile), String(graceMs), { mode: 0o600 });
  } catch (error) {
    report(`the grace of ${graceMs} ms cannot be written, ${usualGraceMs} ms are used`, error);
  }
  signalProcess(record.supervisor, 'SIGTERM');
  for (const giveUp = Date.now() + graceMs + stopMarginMs; isAlive(record.supervisor); await sleep(15)) {
    if (Date.now() < giveUp) continue;
    report('a supervisor was killed', new Error(`process ${record.supervisor.pid} did not stop in time`));
    signalProcess(record.supervisor, 'SIGKILL');
  }
}

const usualHeapMb = 24;
/** For each byte of a secret, in all the forms in which it is looked for, at worst. */
const heapPerSecretByte = 200;

/** Small, but never so small that a project with very many secrets takes its supervisor down. */
function memoryFlags({ env, secretKeys }: SupervisorSpec['app']): string[] {
  const bytes = secretKeys.reduce((sum, key) => sum + Buffer.byteLength(env[key] ?? ''), 0);
  const heapMb = usualHeapMb + Math.ceil((bytes * heapPerSecretByte) / 1_000_000);
  return [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=1'];
}

function lastWords(folder: string): string {
  const words = readFileSync(join(folder, 'supervisor.log'), 'utf8').trim().slice(-2000);
  return words && `: ${words}`;
}
