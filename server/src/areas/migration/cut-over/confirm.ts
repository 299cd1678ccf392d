import { inTransaction } from '../../../db/database.ts';
import { conflict, notAllowedNow } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { recordAudit } from '../../access/port.ts';
import {
  type AdoptionRow,
  withoutMarks,
  isProjectBusy,
  lastingFiles,
  updateOriginal,
  type Original,
  originalTitle,
  requireContainers,
  updateAdoption,
  wroteOutside,
} from '../../deployments/port.ts';
import { lockExistingProject } from '../../projects/port.ts';
import { safeText } from '../stack/safe-text.ts';
import {
  adoptionFor,
  reloadAdoption,
  type CutOverDeps,
  type AdoptionWithProject,
  allOriginals,
  machineParts,
  requireEngineReached,
  withServerErrors,
} from './adoption.ts';

export interface Confirmed {
  projectId: string;
  /** Names of the removed containers. */
  removed: string[];
  warnings: string[];
}

/** Removes the stopped originals of a project; volumes stay. Cannot be undone. */
export class CutOverConfirmation {
  readonly #deps: CutOverDeps;

  constructor(deps: CutOverDeps) {
    this.#deps = deps;
  }

  /** Refuses to remove files that only the originals have, unless forced. */
  async confirm(caller: Caller, projectId: string, { force = false } = {}): Promise<Confirmed> {
    const found = await adoptionFor(this.#deps.db, caller, projectId);
    if (found.row.state !== 'confirming') await this.#begin(caller, found, force);
    return this.finish(found.row);
  }

  /** Continues a confirmation that was started. */
  async finish(row: AdoptionRow): Promise<Confirmed> {
    const { db } = this.#deps;
    const removed: string[] = [];
    const warnings: string[] = [];
    await withServerErrors(async () => {
      const { originals } = requireContainers(await machineParts(this.#deps, row));
      for (const original of allOriginals(await reloadAdoption(db, row)).filter(({ held }) => held)) {
        const { containerId, name } = original;
        const now = await originals.look(containerId);
        if (now && now.state !== 'stopped') {
          warnings.push(`the ${originalTitle(original)} runs again and was not removed`);
          await updateOriginal(db, row, containerId, withoutMarks);
          continue;
        }
        await originals.remove(containerId);
        await updateOriginal(db, row, containerId, gone);
        removed.push(name);
      }
    });
    // Services that still run as before can be adopted later.
    const left = allOriginals(await reloadAdoption(db, row)).filter(({ isRemoved }) => !isRemoved);
    await updateAdoption(db, row, ['confirming'], left.length ? 'adopted' : 'confirmed');
    return { projectId: row.projectId, removed, warnings };
  }

  async #requireNothingLost(row: AdoptionRow): Promise<void> {
    const { originals } = requireContainers(await machineParts(this.#deps, row));
    const held = allOriginals(row).filter((each) => each.held);
    const lost = await withServerErrors(() =>
      Promise.all(
        held.map(async (original) => {
          // One that runs again is not removed.
          if ((await originals.look(original.containerId))?.state !== 'stopped') return [];
          const folders = lastingFiles(await originals.writtenFiles(original.containerId));
          return folders.length ? [safeText(`the ${originalTitle(original)} ${wroteOutside(folders)}`, 300)] : [];
        }),
      ),
    );
    if (lost.flat().length)
      throw conflict(
        `${lost.flat().join('; ')}. These files would be deleted: copy them with docker cp first, or repeat with force`,
      );
  }

  async #begin(caller: Caller, { row, project }: AdoptionWithProject, force: boolean): Promise<void> {
    const nothing = notAllowedNow('this project has not stopped any original container; there is nothing to confirm');
    if (row.state !== 'switched') throw nothing;
    await requireEngineReached(this.#deps, row);
    if (!force) await this.#requireNothingLost(row);
    await inTransaction(this.#deps.db, async (trx) => {
      if (!(await lockExistingProject(trx, row.organizationId, row.projectId)))
        throw conflict('this project is being deleted');
      if (await isProjectBusy(trx, row))
        throw notAllowedNow(
          'a deployment of this project is in progress or needs a decision; finish or cancel it first',
        );
      if (!(await updateAdoption(trx, row, ['switched'], 'confirming'))) throw nothing;
      await recordAudit(trx, row.organizationId, caller, { action: 'migration.confirmed', target: project });
    });
  }
}

const gone = (original: Original): Original => ({ ...withoutMarks(original), isRemoved: true });
