import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import {
  instanceBackupLeaseMs,
  claimInstanceBackup,
  missingFilesText,
  recordInstanceBackup,
  releaseInstanceBackup,
  selectBackupState,
} from '../areas/backups/instance/state.ts';
import type { MadeBackup } from './backup-instance.ts';

const hour = 3;
const lookMs = 60_000;
/** After a failure. */
const retryMs = 3_600_000;

type Deps = {
  database: Database;
  config: Config;
  log: Log;
  /** This replica. */
  owner: string;
  instanceId: string;
  /** Node and maintenance.js. */
  program: [node: string, file: string];
  environment: NodeJS.ProcessEnv;
};

/** Backs up the instance every night, by one replica, and after a downtime as soon as the service is back. */
export class NightlyBackup {
  readonly #deps: Deps;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#deps.config.instanceBackup === 'off') return;
    this.#timer = setInterval(() => this.look(), lookMs).unref();
  }

  /** Ends a running backup. It is due again after the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  /** Starts a backup if one is due. */
  look(): void {
    this.#running ??= this.#look()
      .catch((error: Error) => this.#deps.log.warn(`the nightly backup failed: ${error.message}`))
      .finally(() => (this.#running = undefined));
  }

  async #look(): Promise<void> {
    const { database, instanceId, log } = this.#deps;
    const { createdAt } = await database.db.selectFrom('instance').select('createdAt').executeTakeFirstOrThrow();
    if (!isNightlyBackupDue(await selectBackupState(database.db), { createdAt, instanceId, now: new Date() })) return;
    // Unique to this start, so that a killed service does not hold its own successor up.
    const owner = `${this.#deps.owner} ${process.pid}`;
    if (!(await claimInstanceBackup(database, owner))) return;
    const renewal = setInterval(
      () =>
        void claimInstanceBackup(database, owner).catch((error: Error) =>
          log.warn(`the nightly backup: ${error.message}`),
        ),
      instanceBackupLeaseMs / 4,
    );
    try {
      // Another replica may have made it between the look and the claim.
      if (isNightlyBackupDue(await selectBackupState(database.db), { createdAt, instanceId, now: new Date() }))
        await this.#backUp();
    } finally {
      clearInterval(renewal);
      await releaseInstanceBackup(database.db, owner);
    }
  }

  async #backUp(): Promise<void> {
    const { database, log } = this.#deps;
    try {
      const { place, bytes, skipped } = await runBackupProgram(this.#deps, ['--nightly'], this.#stopping.signal);
      log.info(`backed up the instance to ${place} (${(bytes / 1e6).toFixed(1)} MB)`);
      const lacks = missingFilesText(skipped);
      if (lacks !== null) log.warn(`the nightly backup lacks files: ${lacks}`);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      // The process may have ended before it could record this.
      await recordInstanceBackup(database.db, { error: (error as Error).message });
      throw error;
    }
  }
}

/** Backs up in a process of its own with a low priority, so that requests do not wait for it. */
export async function runBackupProgram(
  { program, environment }: Pick<Deps, 'program' | 'environment'>,
  args: string[],
  signal?: AbortSignal,
): Promise<Pick<MadeBackup, 'place' | 'bytes' | 'skipped'>> {
  const child = spawn('nice', ['-n', '10', ...program, 'backup-instance', ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [printed, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(complaint.trim().replace(/^mooring: /, '') || `it exited with ${code ?? 'a signal'}`);
  return JSON.parse(printed) as MadeBackup;
}

type State = Awaited<ReturnType<typeof selectBackupState>>;

/** A backup is due if there was none since the last night's time. A new instance waits for its first night. */
export function isNightlyBackupDue(
  { attemptedAt, succeededAt, error }: Pick<State, 'attemptedAt' | 'succeededAt' | 'error'>,
  { createdAt, instanceId, now }: { createdAt: number; instanceId: string; now: Date },
): boolean {
  if (error !== null && attemptedAt !== null && now.getTime() - attemptedAt < retryMs) return false;
  return Math.max(succeededAt ?? 0, createdAt) < lastSlot(instanceId, now).getTime();
}

/** 03:00 local time and up to half an hour, so that not all instances use a shared destination at once. */
function lastSlot(instanceId: string, now: Date): Date {
  const minutes = createHash('sha256').update(instanceId).digest()[0]! % 30;
  const slot = new Date(now);
  slot.setHours(hour, minutes, 0, 0);
  if (slot > now) slot.setDate(slot.getDate() - 1);
  return slot;
}
