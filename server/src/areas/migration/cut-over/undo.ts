import { inTransaction } from '../../../db/database.ts';
import { EngineError } from '../../../drivers/runtime/docker/engine/errors.ts';
import { conflict, notAllowedNow } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { recordAudit } from '../../access/port.ts';
import {
  type AdoptionRow,
  containersOn,
  dropRoutes,
  deactivateReleases,
  stopContainers,
  withoutMarks,
  markedRestored,
  isProjectBusy,
  updateOriginal,
  type Original,
  originalTitle,
  type Parts,
  requireContainers,
  serverOfAdoption,
  updateAdoption,
} from '../../deployments/port.ts';
import { lockExistingProject } from '../../projects/port.ts';
import { runtimeUnavailable } from '../scan/failures.ts';
import { untilWaveHealthy, hasHeldOriginals, joinOldNetworks } from './restore-wave.ts';
import {
  adoptionFor,
  reloadAdoption,
  type CutOverDeps,
  type AdoptionWithProject,
  isAnyThere,
  allOriginals,
  machineParts,
  requireEngineReached,
  withServerErrors,
} from './adoption.ts';
import { type RestoredService, wavesOf } from './waves.ts';

export interface Undone {
  projectId: string;
  /** Names of the containers that are in their original state again. */
  restored: string[];
  warnings: string[];
}

/** Restores the original containers of a project. Resumes after a crash. */
export class CutOverUndo {
  readonly #deps: CutOverDeps;
  readonly #underWay = new Map<string, Promise<Undone>>();

  constructor(deps: CutOverDeps) {
    this.#deps = deps;
  }

  async undo(caller: Caller, projectId: string): Promise<Undone> {
    const found = await adoptionFor(this.#deps.db, caller, projectId);
    if (found.row.state !== 'undoing') await this.#begin(caller, found);
    return this.finish(found.row);
  }

  /** Continues an undo that was started; concurrent callers share the result. */
  finish(row: AdoptionRow): Promise<Undone> {
    const known = this.#underWay.get(row.projectId);
    if (known) return known;
    const finishing = withServerErrors(() => this.#all(row)).finally(() => this.#underWay.delete(row.projectId));
    this.#underWay.set(row.projectId, finishing);
    return finishing;
  }

  async #begin(caller: Caller, { row, project }: AdoptionWithProject): Promise<void> {
    const { db } = this.#deps;
    if (row.state === 'confirmed' || row.state === 'confirming')
      throw notAllowedNow('the cut-over was confirmed, so the original containers are gone');
    const nothing = notAllowedNow('this project has not stopped any original container; there is nothing to undo');
    if (row.state !== 'switched') throw nothing;
    await requireEngineReached(this.#deps, row);
    if (!(await isAnyThere(this.#deps, row)))
      throw notAllowedNow(
        'none of the original containers exists any more, so the cut-over cannot be undone; the project keeps running',
      );
    await inTransaction(db, async (trx) => {
      // Locks the project, so that no deployment starts in between.
      if (!(await lockExistingProject(trx, row.organizationId, row.projectId)))
        throw conflict('this project is being deleted');
      if (await isProjectBusy(trx, row))
        throw notAllowedNow(
          'a deployment of this project is in progress or needs a decision; finish or cancel it first',
        );
      if (!(await updateAdoption(trx, row, ['switched'], 'undoing'))) throw nothing;
      // Clear the marks of an earlier undo.
      for (const { containerId, isBack } of allOriginals(row))
        if (isBack) await updateOriginal(trx, row, containerId, withoutMarks);
      await deactivateReleases(trx, row, await serverOfAdoption(trx, row));
      await recordAudit(trx, row.organizationId, caller, { action: 'migration.undone', target: project });
    });
  }

  async #all(row: AdoptionRow): Promise<Undone> {
    const { db } = this.#deps;
    const parts = await machineParts(this.#deps, row);
    await dropRoutes(db, parts, row);
    const broken: string[] = [];
    const warnings: string[] = [];
    const waves = await wavesOf(this.#deps, await reloadAdoption(db, row));
    await joinOldNetworks(parts, row, waves.flat());
    for (const [i, wave] of waves.entries()) {
      const going = wave.filter(hasHeldOriginals);
      const outcomes = await Promise.allSettled(going.map((each) => this.#one(parts, row, each, warnings)));
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') broken.push(sentenceOf(outcome.reason as unknown));
      // Later waves depend on these, and ours stop once they are healthy.
      const isNeeded =
        waves.slice(i + 1).some((later) => later.some(hasHeldOriginals)) || !going.every((each) => each.isExclusive);
      if (isNeeded) warnings.push(...(await untilWaveHealthy(parts, going)));
      await Promise.all(going.map((each) => this.#end(parts, row, each, true)));
    }
    await stopContainers(parts, await containersOn(parts, row), usualGraceMs, true);
    // The upkeep may have restored a route meanwhile.
    await dropRoutes(db, parts, row);
    await updateAdoption(db, row, ['undoing'], broken.length ? 'switched' : 'undone');
    if (broken.length)
      throw runtimeUnavailable(broken.join('; '), undefined, 'not all containers could be restored; try again');
    const restored = allOriginals(await reloadAdoption(db, row)).filter(({ isBack }) => isBack);
    return { projectId: row.projectId, restored: restored.map(({ name }) => name), warnings };
  }

  /**
   * If both can run at once, there is no downtime. Containers stopped first are removed later, to keep the gap short.
   */
  async #one(parts: Parts, row: AdoptionRow, going: RestoredService, warnings: string[]): Promise<void> {
    if (going.isExclusive) await this.#end(parts, row, going, false);
    for (const original of going.originals) await this.#back(parts, row, original, warnings);
  }

  async #end(parts: Parts, row: AdoptionRow, { service, graceMs }: RestoredService, isRemoved: boolean): Promise<void> {
    await stopContainers(parts, await containersOn(parts, row, service), graceMs ?? usualGraceMs, isRemoved);
  }

  async #back(parts: Parts, row: AdoptionRow, original: Original, warnings: string[]): Promise<void> {
    const { containerId, name, held } = original;
    if (!held) return;
    const title = originalTitle(original);
    const isThere = await requireContainers(parts)
      .originals.bringBack(containerId, held.was, (network) =>
        warnings.push(`the network ${network} of the ${title} was removed and is created again`),
      )
      .catch((error: unknown) => {
        throw error instanceof EngineError ? new NotBackError(`${name}: ${error.message}`) : error;
      });
    if (!isThere) warnings.push(`the ${title} no longer exists and cannot be restored`);
    await updateOriginal(this.#deps.db, row, containerId, isThere ? markedRestored : withoutMarks);
  }
}

const usualGraceMs = 10_000;

class NotBackError extends Error {}

/** A container that does not start must not block the others; other errors end the attempt. */
function sentenceOf(error: unknown): string {
  if (error instanceof NotBackError) return error.message;
  throw error;
}
