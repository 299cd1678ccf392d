import { type Db, inTransaction } from '../../../db/database.ts';
import { forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { grantedIds, hasAccessTo, recordAudit, canSee } from '../../access/port.ts';
import { type DeliveryRow, requeueDelivery, selectDeliveries, selectDelivery } from './delivery-store.ts';

/** Webhook deliveries of an organization. */
export class Deliveries {
  readonly #db: Db;
  readonly #wake: () => void;

  constructor(db: Db, wake: () => void) {
    this.#db = db;
    this.#wake = wake;
  }

  async list(caller: Caller, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
    const repositories = grantedIds(caller, 'repository', 'list');
    const rows = await selectDeliveries(this.#db, caller.organization.id, { repositories, cursor, limit: limit + 1 });
    const page = rows.slice(0, limit);
    return { rows: page, nextCursor: rows.length > limit ? page.at(-1)!.id : null };
  }

  /** Handles a delivery again. Commits that are already deployed stay as they are. */
  async replay(caller: Caller, id: string): Promise<DeliveryRow> {
    const organizationId = caller.organization.id;
    const row = await selectDelivery(this.#db, organizationId, id);
    const repository = row?.repository ?? '';
    if (!row || !canSee(caller, 'repository', repository)) throw notFound('delivery');
    if (!hasAccessTo(caller, 'repository', repository, 'write'))
      throw forbidden('you were not granted write on this repository');
    await inTransaction(this.#db, async (trx) => {
      await requeueDelivery(trx, organizationId, id);
      const target = { id, name: row.repository ?? row.event };
      await recordAudit(trx, organizationId, caller, { action: 'githost.delivery_replayed', target });
    });
    this.#wake();
    return { ...row, status: 'received', outcome: null, handledAt: null };
  }
}
