import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WriterLog } from '../records/log-writer.ts';
import { endTree } from '../../host/process-tree.ts';
import { bootId, identifyChild, isAlive, type ProcessId, signalProcess } from '../../host/processes.ts';
import { type InstanceRecord, readRecord, processTreeOf, writeRecord } from './state-file.ts';
import { graceFile, type SupervisorSpec, usualGraceMs } from './supervisor-spec.ts';

/** Task of a supervisor, without its own process id. */
export type SupervisorTask = Omit<SupervisorSpec, 'record'> & { record: Omit<InstanceRecord, 'supervisor'> };

const startWithinMs = 20_000;
/** Extra time for killing leftovers on a slow machine. */
const stopMarginMs = 8_000;

const thisBoot = (record: InstanceRecord): boolean => record.bootId === bootId();
export const supervisorAlive = (record: InstanceRecord): boolean => thisBoot(record) && isAlive(record.supervisor);
export const appAlive = (record: InstanceRecord): boolean => thisBoot(record) && isAlive(record.app);

/** Starts a supervisor and resolves once it has started the app. The record is on disk before the supervisor gets its
 * task, so it can be found after a crash of ours; without a complete task it exits. */
export async function launch(program: string, { record, ...task }: SupervisorTask): Promise<InstanceRecord> {
  const { folder } = task;
  // A leftover of the previous instance would shorten the first stop.
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
    // It exited before it read its task; waiting for the start reports why.
    child.stdin!.on('error', () => {});
    const supervisor = child.pid === undefined ? await failed : identifyChild(child.pid);
    const whole: InstanceRecord = { ...record, supervisor };
    try {
      writeRecord(folder, whole);
    } catch (error) {
      // It exits without a task.
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

/** Returns the instance if its supervisor runs; waits for one that an earlier call has just started. */
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
    report('an interrupted start is repeated', error);
    return undefined;
  }
}

/** Stops the instance, with or without a supervisor. */
export async function endInstance(
  folder: string,
  record: InstanceRecord,
  graceMs: number,
  report: WriterLog,
): Promise<void> {
  if (!thisBoot(record)) return;
  const supervised = supervisorAlive(record);
  if (supervised) await stopSupervisor(folder, record, graceMs, report);
  // A killed supervisor leaves the app running; its process group, session and marker still identify it.
  const latest = readRecord(folder) ?? record;
  await endTree(processTreeOf(latest), supervised ? 0 : graceMs);
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
    report(`the stop timeout of ${graceMs} ms cannot be stored; ${usualGraceMs} ms is used`, error);
  }
  signalProcess(record.supervisor, 'SIGTERM');
  for (const giveUp = Date.now() + graceMs + stopMarginMs; isAlive(record.supervisor); await sleep(15)) {
    if (Date.now() < giveUp) continue;
    report('a supervisor was killed', new Error(`process ${record.supervisor.pid} did not stop in time`));
    signalProcess(record.supervisor, 'SIGKILL');
  }
}

const usualHeapMb = 24;
/** Worst-case heap per byte of a secret, for all the encodings that are redacted. */
const heapPerSecretByte = 200;

/** Keeps the heap small, but large enough for a project with very many secrets. */
function memoryFlags({ env, secretKeys }: SupervisorSpec['app']): string[] {
  const bytes = secretKeys.reduce((sum, key) => sum + Buffer.byteLength(env[key] ?? ''), 0);
  const heapMb = usualHeapMb + Math.ceil((bytes * heapPerSecretByte) / 1_000_000);
  return [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=1'];
}

function lastWords(folder: string): string {
  const words = readFileSync(join(folder, 'supervisor.log'), 'utf8').trim().slice(-2000);
  return words && `: ${words}`;
}
