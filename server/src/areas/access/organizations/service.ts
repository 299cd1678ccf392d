import type { Config } from '../../../config.ts';
import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { forbidden } from '../../../errors.ts';
import type { Caller, SignedIn } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { recordAudit } from '../audit/service.ts';
import { insertMember, selectMembershipsOf } from '../members/store.ts';
import { deleteResetsOf } from '../passwords/store.ts';
import { insertOrganization, updateOrganization } from './store.ts';

export class Organizations {
  readonly #db: Db;
  readonly #isCloud: boolean;

  constructor(db: Db, { mode }: Pick<Config, 'mode'>) {
    this.#db = db;
    this.#isCloud = mode === 'cloud';
  }

  /** Returns all memberships for a session, but only its own for a token. */
  async membershipsOf(signedIn: SignedIn) {
    const memberships = await selectMembershipsOf(this.#db, signedIn.userId);
    if (signedIn.via.type === 'session') return memberships;
    return memberships.filter(({ organizationId }) => organizationId === signedIn.organization?.id);
  }

  /**
   * Creates an organization with `organization:write`, or as instance owner. In cloud mode only the operator may,
   * since each organization has its own limits.
   */
  async create(caller: SignedIn, name: string) {
    if (this.#isCloud && !caller.isInstanceOwner)
      throw forbidden('only the operator of this cloud can create organizations');
    const mayCreate = caller.isInstanceOwner || caller.organization?.permissions.has('organization:write');
    if (!mayCreate) throw forbidden('this needs the permission organization:write');
    return inTransaction(this.#db, async (trx) => {
      const organization = await createOrganization(trx, caller.userId, name);
      await deleteResetsOf(trx, caller.userId);
      const target = { id: organization.id, name };
      await recordAudit(trx, organization.id, caller, { action: 'organization.created', target });
      return organization;
    });
  }

  async rename(caller: Caller, name: string) {
    const { id, name: before } = caller.organization;
    await inTransaction(this.#db, async (trx) => {
      await updateOrganization(trx, id, name);
      await recordAudit(trx, id, caller, { action: 'organization.renamed', target: { id, name }, details: { before } });
    });
    return { id, name, role: caller.organization.role };
  }
}

/** Creates an organization with its first owner. */
export async function createOrganization(sql: Sql, userId: string, name: string) {
  const now = Date.now();
  const [id, memberId] = [newId('org'), newId('mem')];
  await insertOrganization(sql, { id, name, createdAt: now });
  await insertMember(sql, id, { id: memberId, userId, role: 'owner', grants: '[]', createdAt: now });
  return { id, name, role: 'owner', memberId };
}
