import { type Db, inTransaction, isUniqueViolation, type Trx } from '../../../db/database.ts';
import {
  type Storage,
  type StorageContext,
  StorageError,
  type StorageKind,
  type StorageServer,
  type SweepResult,
} from '../../../drivers/storage/storage.ts';
import { withPrefix } from '../../../drivers/storage/prefix.ts';
import { AppError, badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import { settingsIn } from '../policies/settings.ts';
import { selectPolicies } from '../policies/store.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { limitPerKey } from '../../../lib/concurrency.ts';
import { newId } from '../../../lib/ids.ts';
import type { OutboundReach } from '../../../lib/outbound.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { grantedIds, lockOrganization, hasAccessTo, recordAudit, canSee, withdrawGrants } from '../../access/port.ts';
import { isOnServer, noSuchServer, requireServerThere, requireServerUnused } from './on-servers.ts';
import { type PreflightOutcome, preflight } from './preflight.ts';
import type { DestinationBody, DestinationChange } from './schemas.ts';
import {
  clearDefault,
  deleteDestination,
  type DestinationRow,
  insertDestination,
  pinDestinationHostKey,
  selectDestination,
  selectDestinationNamed,
  selectDestinations,
  updateDestination,
  updateVerified,
} from './store.ts';
import {
  changedValues,
  optionsIn,
  splitSecrets,
  readSecrets,
  requireSecretsAgain,
  requireValues,
  secretNames,
  untouchedSecrets,
  type Values,
} from './values.ts';

const secretsPlace = (row: string) => ({ table: 'backup_destinations', column: 'secrets', row });
/** Limit per organization. A target that does not respond occupies a slot until the timeout. */
const preflights = { atOnce: 8, waiting: 16, refuse: () => tooManyPreflights() };

const tooManyPreflights = () =>
  new AppError('rate_limited', 'too many destinations are being tested; try again in a moment', {
    retryAfterSeconds: 10,
  });

type AuditAction = `backup_destination.${string}`;

export type DestinationsOptions = {
  db: Db;
  sealer: Sealer;
  kinds: StorageKind[];
  reach: OutboundReach;
  /** Root of local destinations; undefined if they are not allowed. Read again for each use. */
  localRoot: () => Promise<string | undefined>;
  preflightMs: number;
  /** Reports removed leftovers. */
  report: (message: string) => void;
  /** Returns a server that the caller may use; undefined if there is none. Throws a 403 without the permission. */
  serverFor: (caller: Caller, serverId: string) => Promise<StorageServer | undefined>;
};

/** Backup destinations of an organization. Credentials are sent to the target only. */
export class Destinations {
  readonly #options: DestinationsOptions;
  readonly #someOfEach = limitPerKey(preflights);

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  list = (caller: Caller): Promise<DestinationRow[]> =>
    selectDestinations(this.#options.db, caller.organization.id, grantedIds(caller, 'backup_destination', 'list'));

  /** Returns the destination; without any grant it is reported as not found. */
  async get(caller: Caller, id: string, action: Action): Promise<DestinationRow> {
    const row = await selectDestination(this.#options.db, caller.organization.id, id);
    if (!row || !canSee(caller, 'backup_destination', id)) throw notFound('destination');
    if (!hasAccessTo(caller, 'backup_destination', id, action))
      throw forbidden(`you were not granted ${action} on this destination`);
    return row;
  }

  async create(caller: Caller, body: DestinationBody): Promise<DestinationRow> {
    requireMayCreate(caller);
    const { kind, values } = await this.#checked(caller, body);
    const id = newId('bkd');
    const now = Date.now();
    const row: DestinationRow = {
      id,
      organizationId: caller.organization.id,
      name: body.name,
      kind: kind.kind,
      ...this.#stored(kind, id, values),
      pathPrefix: body.pathPrefix ?? '',
      isDefault: body.isDefault ? 1 : 0,
      hostKey: null,
      lastVerifiedAt: null,
      lastVerifyError: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    return this.#write(caller, row, 'backup_destination.created', { kind: row.kind }, insertDestination);
  }

  async update(caller: Caller, id: string, change: DestinationChange): Promise<DestinationRow> {
    const before = await this.get(caller, id, 'write');
    if (change.kind !== undefined && change.kind !== before.kind)
      throw badRequest('kind cannot be changed; create another destination', 'kind');
    const kind = this.#kindOf(before.kind);
    const stored = this.#valuesOf(before);
    requireSecretsAgain(kind, stored, change);
    const values = changedValues(kind, stored, change);
    // Credentials may be cleared on purpose; then only the preflight fails.
    await this.#check(caller, kind, values, { mayMiss: secretNames(kind), before: stored });
    const row: DestinationRow = {
      ...before,
      name: change.name ?? before.name,
      ...this.#stored(kind, id, values),
      pathPrefix: change.pathPrefix === undefined ? before.pathPrefix : (change.pathPrefix ?? ''),
      isDefault: change.isDefault === undefined ? before.isDefault : change.isDefault ? 1 : 0,
      hostKey: repins(kind, stored, change) ? null : before.hostKey,
      version: before.version + 1,
      updatedAt: Date.now(),
    };
    const fields = Object.keys(change)
      .filter((field) => change[field] !== undefined)
      .join(', ');
    return this.#write(caller, row, 'backup_destination.updated', { fields }, async (trx) => {
      // Rejects a concurrent change instead of overwriting it.
      const now = await selectDestination(trx, row.organizationId, id);
      if (!now) throw notFound('destination');
      if (now.version !== before.version) throw badRequest('the destination was changed at the same time; try again');
      return updateDestination(trx, row);
    });
  }

  async delete(caller: Caller, id: string): Promise<void> {
    const { organizationId, name } = await this.get(caller, id, 'admin');
    await inTransaction(this.#options.db, async (trx) => {
      const users = (await selectPolicies(trx, organizationId, 'all')).filter((policy) =>
        settingsIn(policy).destinationIds.includes(id),
      );
      if (users.length)
        throw conflict(
          `${name} is used by the backup policy ${users[0]!.name}. Choose another destination there first.`,
        );
      await deleteDestination(trx, organizationId, id);
      await withdrawGrants(trx, organizationId, 'backup_destination', id);
      await recordAudit(trx, organizationId, caller, { action: 'backup_destination.deleted', target: { id, name } });
    });
  }

  /** Throws if destinations are on that server. */
  requireUnused = (trx: Trx, caller: Caller, serverId: string): Promise<void> =>
    requireServerUnused(trx, caller, this.#options.kinds, serverId);

  /** Tests whether backups can be written, and stores the result. */
  async preflight(caller: Caller, id: string): Promise<PreflightOutcome> {
    const row = await this.get(caller, id, 'write');
    const onSwept = (swept: SweepResult) => this.#tellSwept(row, swept);
    const outcome = await this.#someOfEach(caller.organization.id, () =>
      preflight(() => this.open(caller, row), this.#options.preflightMs, onSwept),
    );
    const found = outcome.ok
      ? { lastVerifiedAt: Date.now(), lastVerifyError: null }
      : { lastVerifyError: outcome.reason };
    await inTransaction(this.#options.db, async (trx) => {
      await updateVerified(trx, row, found);
      await recordAudit(trx, row.organizationId, caller, {
        action: 'backup_destination.tried',
        target: { id, name: row.name },
        details: { outcome: outcome.ok ? 'ok' : outcome.code },
      });
    });
    return outcome;
  }

  /** Tests a destination before it is stored. With `id`, omitted fields come from that destination. */
  async preflightUnsaved(
    caller: Caller,
    body: DestinationBody & { id?: string | undefined },
  ): Promise<PreflightOutcome> {
    const stored = body.id === undefined ? undefined : await this.get(caller, body.id, 'write');
    if (!stored) requireMayCreate(caller);
    if (stored && stored.kind !== body.kind) throw badRequest('kind cannot be changed', 'kind');
    const before = stored && this.#valuesOf(stored);
    if (before) requireSecretsAgain(this.#kindOf(body.kind), before, body);
    const { kind, values } = await this.#checked(caller, body, before);
    const hostKey = stored && before && !repins(kind, before, body) ? (stored.hostKey ?? undefined) : undefined;
    const open = async () =>
      withPrefix(
        await kind.open(values, await this.#context(caller, { hostKey, onHostKey: async () => {} })),
        body.pathPrefix ?? '',
      );
    return this.#someOfEach(caller.organization.id, () => preflight(open, this.#options.preflightMs));
  }

  /** Opens the target. Pins the host key at the first connection. */
  open = (caller: Caller, row: DestinationRow): Promise<Storage> =>
    this.openWith(row, (serverId) => this.#options.serverFor(caller, serverId));

  /** Opens the target for the instance itself, which needs no permission. */
  async openWith(row: DestinationRow, serverOf: StorageContext['serverOf']): Promise<Storage> {
    const kind = this.#kindOf(row.kind);
    const onHostKey = (hostKey: string) => this.#pin(row, hostKey);
    const { reach, localRoot } = this.#options;
    const pinned = { hostKey: row.hostKey ?? undefined, onHostKey };
    const context = { reach, localRoot: await localRoot(), serverOf, ...pinned };
    return withPrefix(await kind.open(this.#valuesOf(row), context), row.pathPrefix);
  }

  #tellSwept({ id, name }: DestinationRow, { removed, problems }: SweepResult): void {
    if (!removed.length && !problems.length) return;
    const left = problems.length ? `; not all: ${problems.join('; ')}` : '';
    this.#options.report(`backup destination ${name} (${id}): ${removed.length} leftover uploads removed${left}`);
  }

  /** Two concurrent first connections must see the same key. */
  async #pin(row: DestinationRow, hostKey: string): Promise<void> {
    await pinDestinationHostKey(this.#options.db, row, hostKey);
    const now = await selectDestination(this.#options.db, row.organizationId, row.id);
    if (now && now.version === row.version && now.hostKey !== hostKey)
      throw new StorageError('auth_failed', 'the host presented two different host keys');
  }

  async #context(caller: Caller, pinned: Pick<StorageContext, 'hostKey' | 'onHostKey'>): Promise<StorageContext> {
    const { reach, localRoot, serverFor } = this.#options;
    return { reach, localRoot: await localRoot(), serverOf: (serverId) => serverFor(caller, serverId), ...pinned };
  }

  async #checked(caller: Caller, body: DestinationBody, before: Values = {}) {
    const kind = this.#kindOf(body.kind);
    const values = changedValues(kind, before, body);
    await this.#check(caller, kind, values, {});
    return { kind, values };
  }

  async #check(
    caller: Caller,
    kind: StorageKind,
    values: Values,
    { mayMiss = new Set(), before = {} }: { mayMiss?: Set<string>; before?: Values },
  ): Promise<void> {
    requireValues(kind, values, mayMiss);
    const complaint = await kind.check(values, { localRoot: await this.#options.localRoot() });
    if (complaint) throw badRequest(`${complaint.field} ${complaint.message}`, complaint.field);
    const { serverId } = values;
    if (isOnServer(kind) && serverId !== undefined && serverId !== before['serverId'])
      if (!(await this.#options.serverFor(caller, String(serverId)))) throw noSuchServer();
  }

  #kindOf(name: string): StorageKind {
    const kind = this.#options.kinds.find((each) => each.kind === name);
    if (!kind)
      throw badRequest(`kind must be one of ${this.#options.kinds.map((each) => each.kind).join(', ')}`, 'kind');
    return kind;
  }

  #valuesOf(row: DestinationRow): Values {
    return { ...optionsIn(row), ...readSecrets(this.#options.sealer.open(row.secrets, secretsPlace(row.id))) };
  }

  #stored(kind: StorageKind, id: string, values: Values) {
    const { options, secrets } = splitSecrets(kind, values);
    return {
      options: JSON.stringify(options),
      secrets: this.#options.sealer.seal(JSON.stringify(secrets), secretsPlace(id)),
      secretNames: JSON.stringify(Object.keys(secrets)),
    };
  }

  /** Names and the default are unique: the lock gives a clear error, the database guarantees it. */
  async #write(
    caller: Caller,
    row: DestinationRow,
    action: AuditAction,
    details: Record<string, string>,
    write: (trx: Trx, row: DestinationRow) => Promise<unknown>,
  ): Promise<DestinationRow> {
    const duplicate = () => badRequest('name is taken by another destination', 'name');
    try {
      return await inTransaction(this.#options.db, async (trx) => {
        await lockOrganization(trx, row.organizationId);
        const named = await selectDestinationNamed(trx, row.organizationId, row.name);
        if (named && named.id !== row.id) throw duplicate();
        if (isOnServer(this.#kindOf(row.kind))) await requireServerThere(trx, row);
        if (row.isDefault) await clearDefault(trx, row.organizationId);
        await write(trx, row);
        await recordAudit(trx, row.organizationId, caller, {
          action,
          target: { id: row.id, name: row.name },
          details,
        });
        return row;
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw duplicate();
      throw error;
    }
  }
}

/** Restricted members cannot create destinations. */
function requireMayCreate({ organization }: Caller): void {
  if (organization.role === 'restricted')
    throw forbidden('you have grants on single destinations and cannot create one');
}

/**
 * A new host key is accepted if the address is sent with all credentials. Otherwise the pinned key stays, so that a
 * stored password is never sent to another machine.
 */
const repins = (kind: StorageKind, before: Values, change: Record<string, unknown>): boolean =>
  (change['sshHost'] !== undefined || change['sshPort'] !== undefined) &&
  [...secretNames(kind)].some((name) => typeof change[name] === 'string') &&
  !untouchedSecrets(kind, before, change).length;
