import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../lib/log.ts';
import {
  type AdoptionRow,
  withoutMarks,
  isProjectBusy,
  updateOriginal,
  requireContainers,
  selectStatuses,
  selectUnfinishedAdoptions,
} from '../../deployments/port.ts';
import type { CutOverConfirmation } from './confirm.ts';
import { type CutOverDeps, allOriginals, machineParts } from './adoption.ts';
import type { CutOverUndo } from './undo.ts';

const everyMs = 10_000;
const longestMs = 2000;

/** Resumes cut-overs after a crash, or after a server was unreachable. */
export class CutOverResumption {
  readonly #deps: CutOverDeps & { log: Log; undo: CutOverUndo; confirm: CutOverConfirmation };
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(deps: CutOverDeps & { log: Log; undo: CutOverUndo; confirm: CutOverConfirmation }) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  /** An unfinished round resumes after the next start. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#round, sleep(longestMs, undefined, { ref: false })]);
  }

  #look(): void {
    this.#round ??= this.#all()
      .catch((error: Error) => this.#deps.log.warn(`resuming cut-overs: ${error.message}`))
      .finally(() => (this.#round = undefined));
  }

  async #all(): Promise<void> {
    const rows = await selectUnfinishedAdoptions(this.#deps.db);
    await Promise.all(
      rows.map((row) =>
        this.#one(row).catch((error: Error) =>
          this.#deps.log.warn(`cut-over of ${row.projectId} (${row.state}): ${error.message}`),
        ),
      ),
    );
  }

  async #one(row: AdoptionRow): Promise<void> {
    const { undo, confirm } = this.#deps;
    if (row.state === 'undoing') await undo.finish(row);
    else if (row.state === 'confirming') await confirm.finish(row);
    else await this.#bringOrphansBack(row);
  }

  /**
   * Restores originals that were stopped for a deployment which failed, for example because the server was
   * unreachable.
   */
  async #bringOrphansBack(row: AdoptionRow): Promise<void> {
    const { db } = this.#deps;
    const held = allOriginals(row).flatMap(({ containerId, held: by }) => (by ? [{ containerId, ...by }] : []));
    const statuses = await selectStatuses(db, [...new Set(held.map(({ by }) => by))]);
    const over = statuses.filter(({ status }) => ['failed', 'cancelled', 'rejected'].includes(status));
    const orphans = held.filter(({ by }) => over.some(({ id }) => id === by));
    if (!orphans.length || (await isProjectBusy(db, row))) return;
    const { originals } = requireContainers(await machineParts(this.#deps, row));
    for (const { containerId, was } of orphans) {
      await originals.bringBack(containerId, was);
      await updateOriginal(db, row, containerId, withoutMarks);
    }
  }
}
