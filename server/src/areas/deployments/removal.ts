import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, type Trx } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { removeTree } from '../../lib/remove-tree.ts';
import { recordAudit } from '../access/audit/service.ts';
import { isFinished } from './model.ts';
import type { Parts } from './parts.ts';
import type { Deployments } from './service.ts';
import { deleteDeployment, type DeploymentRow, selectDeployment, selectOfProject } from './store.ts';
import { edgeKey } from './steps/route.ts';

const cancelMs = 20_000;

/** Deletes deployments with everything that is theirs: what runs, its routes, folders and history. Volumes stay. */
export class Removal {
  readonly #db: Db;
  readonly #parts: Parts;
  readonly #deployments: Deployments;

  constructor(db: Db, parts: Parts, deployments: Deployments) {
    this.#db = db;
    this.#parts = parts;
    this.#deployments = deployments;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const row = await this.#ended(caller, await this.#deployments.get(caller, id, 'admin'));
    await this.#clear(row);
    await inTransaction(this.#db, async (trx) => {
      await deleteDeployment(trx, row.organization_id, id);
      await recordAudit(trx, row.organization_id, caller, { action: 'deployment.deleted', target: { id, name: id } });
    });
  }

  /** Before a project is deleted: nothing of it may go on running. */
  async clearProject(caller: Caller, projectId: string): Promise<void> {
    for (const row of await selectOfProject(this.#db, caller.organization.id, projectId)) {
      await this.#clear(await this.#ended(caller, row));
      await deleteDeployment(this.#db, row.organization_id, row.id);
    }
    await removeTree(this.#parts.folders.home(projectId));
  }

  /** Nothing was deployed since. */
  async isClear(trx: Trx, organizationId: string, projectId: string): Promise<boolean> {
    return (await selectOfProject(trx, organizationId, projectId)).length === 0;
  }

  async #ended(caller: Caller, row: DeploymentRow): Promise<DeploymentRow> {
    if (isFinished(row.status)) return row;
    // Whoever may delete may end it. It may also have finished by itself a moment ago.
    await this.#deployments.end(caller, row);
    for (const end = Date.now() + cancelMs; Date.now() < end; await sleep(100)) {
      const now = await selectDeployment(this.#db, row.organization_id, row.id);
      if (!now || isFinished(now.status)) return now ?? row;
    }
    throw new AppError('unavailable', 'the deployment did not stop in time; try again', { retryAfterSeconds: 5 });
  }

  async #clear(row: DeploymentRow): Promise<void> {
    if (row.active) await this.#parts.edge.remove(edgeKey(row));
    await this.#parts.runtime.remove(row.id);
    const others = await selectOfProject(this.#db, row.organization_id, row.project_id);
    const isShared = others.some(
      (each) => each.id !== row.id && each.artifact_id === row.artifact_id && each.artifact_kept,
    );
    if (!isShared) await removeTree(this.#parts.folders.release(row.artifact_id));
  }
}
