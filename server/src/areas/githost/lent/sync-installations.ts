import { type Db, inTransaction } from '../../../db/database.ts';
import type { GithostLentTable } from '../../../db/tables.ts';
import { newId } from '../../../lib/ids.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import { insertInstallation, selectInstallation, updateInstallation } from '../installations/store.ts';
import type { LentInstallation, LentOverview } from './port.ts';
import { deleteLentInstallations, selectLent, selectLentInstallations } from './store.ts';

/**
 * Syncs the stored installations with the cloud's answer. If `use` has changed since the request, the answer belongs
 * to another link and is dropped.
 */
export async function syncInstallations(db: Db, use: GithostLentTable, { installations }: LentOverview): Promise<void> {
  const { organizationId } = use;
  if (isSame(await selectLentInstallations(db, organizationId), installations)) return;
  await inTransaction(db, async (trx) => {
    await lockOrganization(trx, organizationId);
    const lent = await selectLent(trx, organizationId);
    if (lent?.createdAt !== use.createdAt) return;
    await deleteLentInstallations(
      trx,
      organizationId,
      installations.map(({ id }) => id),
    );
    for (const { id, account, suspendedAt } of installations) {
      const known = await selectInstallation(trx, organizationId, id);
      const facts = {
        accountId: account.id,
        accountLogin: account.login,
        accountType: account.type,
        suspendedAt,
        proof: 'cloud' as const,
      };
      if (known) {
        await updateInstallation(trx, organizationId, known.id, facts);
        continue;
      }
      const { connectedBy } = lent;
      const own = { id: newId('ghi'), organizationId, installationId: id };
      await insertInstallation(trx, { ...own, ...facts, connectedBy, createdAt: Date.now() });
      const details = { source: 'app', login: account.login, by: 'cloud' };
      const actor = { userId: connectedBy, email: 'the cloud', ip: '' };
      await recordAudit(trx, organizationId, actor, { action: 'githost.connected', details });
    }
  });
}

type Row = Awaited<ReturnType<typeof selectLentInstallations>>[number];

const isSame = (rows: Row[], found: LentInstallation[]): boolean =>
  rows.length === found.length &&
  found.every(({ id, account, suspendedAt }) =>
    rows.some(
      (row) =>
        row.installationId === id &&
        row.accountLogin === account.login &&
        row.accountId === account.id &&
        row.suspendedAt === suspendedAt,
    ),
  );
