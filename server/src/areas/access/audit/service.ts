import type { Db, Sql } from '../../../db/database.ts';
import type { Caller, SignedIn } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { selectMembershipsOf } from '../members/store.ts';
import { type AuditFilter, insertAuditEntry, selectAuditEntries } from './store.ts';

/** `<noun>.<event>`, such as `member.role_changed`. */
export type AuditAction = `${string}.${string}`;

export type AuditNote = {
  action: AuditAction;
  target?: { id: string; name: string };
  /** Never a secret: every reader of the log sees it. */
  details?: Record<string, string | number | boolean | null>;
};

export type AuditActor = Pick<SignedIn, 'userId' | 'email' | 'ip'> & { via?: SignedIn['via'] };

/** Writes an entry. Call it in the transaction of the change, so that no change goes unrecorded. */
export async function recordAudit(sql: Sql, organizationId: string, actor: AuditActor, note: AuditNote): Promise<void> {
  await insertAuditEntry(sql, organizationId, {
    id: newId('aud'),
    at: Date.now(),
    actorId: actor.userId,
    actorName: actor.email,
    tokenId: actor.via?.type === 'token' ? actor.via.id : null,
    ip: actor.ip,
    action: note.action,
    targetId: note.target?.id ?? null,
    targetName: note.target?.name ?? null,
    details: JSON.stringify(note.details ?? {}),
  });
}

/** Records an event of a user in all of their organizations. */
export async function recordAuditInAllOrganizations(sql: Sql, actor: AuditActor, note: AuditNote): Promise<void> {
  for (const { organizationId } of await selectMembershipsOf(sql, actor.userId))
    await recordAudit(sql, organizationId, actor, note);
}

export class AuditLog {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async list(caller: Caller, filter: AuditFilter) {
    const rows = await selectAuditEntries(this.#db, caller.organization.id, { ...filter, limit: filter.limit + 1 });
    const entries = rows.slice(0, filter.limit);
    return { entries, nextCursor: rows.length > filter.limit ? entries.at(-1)!.id : null };
  }
}
