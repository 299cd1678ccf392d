import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import { nextTime } from '../policies/schedule.ts';
import { settingsIn } from '../policies/settings.ts';
import { policyHealthOf } from '../policies/schemas.ts';
import {
  advanceSchedule,
  type PolicyRow,
  reportHealth,
  selectDuePolicies,
  selectEveryPolicy,
} from '../policies/store.ts';
import type { BackupSources } from '../sources/source.ts';
import type { Backups } from './service.ts';
import { restoreRequestOf, selectScratches, selectUnfinishedIds, jobStateOf, updateJob } from './store.ts';

const everyMs = 15_000;

type Deps = {
  db: Db;
  log: Log;
  backups: Backups;
  sources: BackupSources;
  /** Folder with a folder of temporary files for each job. */
  folder: string;
};

/** Starts runs and drills at their times, and once for times that were missed. */
export class Scheduler {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#rounds = new PeriodicTask({
      everyMs,
      round: () => this.#round(),
      warn: (message) => deps.log.warn(`backup schedule: ${message}`),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Looks at all policies soon, after a run has ended. */
  look(): void {
    this.#rounds.soon();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    const { db } = this.#deps;
    const now = Date.now();
    for (const policy of await selectDuePolicies(db, now)) {
      await this.#begin(policy, 'nextRunAt', now);
      await this.#begin(policy, 'nextDrillAt', now);
    }
    await this.#reportHealth(now);
    await this.#removeScratches(now);
    await this.#removeFolders();
  }

  async #begin(policy: PolicyRow, column: 'nextRunAt' | 'nextDrillAt', now: number): Promise<void> {
    const { db, backups, log } = this.#deps;
    const { schedule, timezone, drill } = settingsIn(policy);
    const due = policy[column];
    if (due === null || due > now) return;
    const pattern = column === 'nextRunAt' ? schedule : drill?.schedule;
    const next = pattern === undefined ? null : nextTime(pattern, timezone, now);
    if (!(await advanceSchedule(db, policy, column, due, next))) return;
    await backups
      .begin(policy, column === 'nextRunAt' ? 'backup' : 'drill', 'schedule', { userId: policy.createdBy })
      .catch((error: Error) => log.warn(`backup policy ${policy.id}: ${error.message}`));
  }

  /** Logs each change of a policy's health once. Members get it from `GET /api/events`. */
  async #reportHealth(now: number): Promise<void> {
    const { db, log } = this.#deps;
    for (const policy of await selectEveryPolicy(db)) {
      const health = policyHealthOf(policy, now);
      if (health === policy.reportedHealth || !(await reportHealth(db, policy, health))) continue;
      const line = `backup policy ${policy.name} (${policy.id}) is ${health}`;
      if (health === 'late' || health === 'failing') log.warn(line);
      else log.info(line);
    }
  }

  /** Removes temporary files of jobs that this replica was killed in, and that another one has ended. */
  async #removeFolders(): Promise<void> {
    const { db, folder } = this.#deps;
    const names = existsSync(folder) ? await readdir(folder) : [];
    if (!names.length) return;
    const unfinished = await selectUnfinishedIds(db);
    for (const name of names) if (!unfinished.has(name)) await removeTree(join(folder, name));
  }

  async #removeScratches(now: number): Promise<void> {
    const { db, sources } = this.#deps;
    for (const row of await selectScratches(db)) {
      const state = jobStateOf(row);
      if ((state.scratchUntil ?? 0) > now) continue;
      const { projectId, environment } = restoreRequestOf(row);
      await sources.removeScratch({ organizationId: row.organizationId, projectId, environment }, row.id);
      const { scratchUntil: _over, ...rest } = state;
      await updateJob(db, row, { state: JSON.stringify(rest) });
    }
  }
}
