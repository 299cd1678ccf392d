import { type Db, inTransaction, isUniqueViolation, type Trx } from '../../../db/database.ts';
import { badRequest, forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { newId } from '../../../lib/ids.ts';
import { grantedIds, lockOrganization, hasAccessTo, recordAudit } from '../../access/port.ts';
import { visibleProject } from '../../projects/port.ts';
import { type DestinationRow, selectDestination } from '../destinations/store.ts';
import type { Destinations } from '../destinations/service.ts';
import type { BackupKeys } from '../keys/service.ts';
import { BackupError, type FoundSource, type BackupSources } from '../sources/source.ts';
import { nextTime, scheduleProblem } from './schedule.ts';
import type { PolicyBody, PolicyChange } from './schemas.ts';
import { type PolicySettings, settingsIn } from './settings.ts';
import { deletePolicy, insertPolicy, type PolicyRow, selectPolicies, selectPolicy, updatePolicy } from './store.ts';

const mostPolicies = 200;

type Deps = { db: Db; destinations: Destinations; keys: BackupKeys; sources: BackupSources };

/** Backup policies of an organization. A policy is as visible as its project. */
export class Policies {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async list(caller: Caller, projectId?: string): Promise<PolicyRow[]> {
    const rows = await selectPolicies(this.#deps.db, caller.organization.id, grantedIds(caller, 'project', 'list'));
    return projectId === undefined ? rows : rows.filter((row) => row.projectId === projectId);
  }

  async get(caller: Caller, id: string, action: Action): Promise<PolicyRow> {
    const row = await selectPolicy(this.#deps.db, caller.organization.id, id);
    if (!row) throw notFound('backup policy');
    if (row.projectId === null) requireInstanceOwner(caller);
    else
      await visibleProject(this.#deps.db, caller, row.projectId, action).catch((error: { code?: string }) => {
        throw error.code === 'not_found' ? notFound('backup policy') : error;
      });
    return row;
  }

  projectOf = (caller: Caller, id: string) => visibleProject(this.#deps.db, caller, id, 'read');

  async create(caller: Caller, body: PolicyBody): Promise<PolicyRow> {
    const { db, keys } = this.#deps;
    const organizationId = caller.organization.id;
    const { name, projectId = null, scope, environment, enabled, ...given } = body;
    if (projectId !== null) await visibleProject(db, caller, projectId, 'write');
    if ((projectId === null) === (scope === undefined))
      throw badRequest('either projectId or scope is required', 'projectId');
    if (scope) requireInstance(caller, given);
    // The backup of the instance is encrypted with the key of its machine already.
    const settings = projectId === null ? { ...given, encryption: { enabled: false } } : given;
    await this.#check(caller, settings);
    await this.#requireSources({ organizationId, projectId, environment }, settings);
    const now = Date.now();
    const row: PolicyRow = {
      id: newId('bkp'),
      organizationId,
      projectId,
      environment,
      name,
      settings: JSON.stringify(settings),
      enabled: enabled ? 1 : 0,
      ...timesOf(settings, now),
      lastSuccessAt: null,
      lastDrillAt: null,
      lastRun: null,
      reportedHealth: 'never',
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    return this.#write(caller, row, 'backup_policy.created', async (trx) => {
      if ((await selectPolicies(trx, organizationId, 'all')).length >= mostPolicies)
        throw badRequest(`an organization has at most ${mostPolicies} backup policies`);
      await keys.ensure(trx, organizationId);
      await insertPolicy(trx, row);
    });
  }

  async update(caller: Caller, id: string, change: PolicyChange): Promise<PolicyRow> {
    const before = await this.get(caller, id, 'write');
    const { name = before.name, enabled = before.enabled === 1, ...changed } = change;
    const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
    const settings: PolicySettings = { ...settingsIn(before), ...given };
    await this.#check(caller, settings, settingsIn(before));
    if (given['sources']) await this.#requireSources(before, settings);
    const now = Date.now();
    const isTimed =
      'schedule' in given || 'timezone' in given || 'drill' in given || enabled !== (before.enabled === 1);
    const row: PolicyRow = {
      ...before,
      name,
      enabled: enabled ? 1 : 0,
      settings: JSON.stringify(settings),
      ...(isTimed && timesOf(settings, now)),
      updatedAt: now,
    };
    const { id: _id, organizationId: _organizationId, ...stored } = row;
    return this.#write(caller, row, 'backup_policy.updated', async (trx) => {
      await updatePolicy(trx, row, stored);
    });
  }

  /** Backups of the policy stay. */
  async delete(caller: Caller, id: string): Promise<void> {
    const row = await this.get(caller, id, 'admin');
    await inTransaction(this.#deps.db, async (trx) => {
      await deletePolicy(trx, row.organizationId, id);
      await recordAudit(trx, row.organizationId, caller, {
        action: 'backup_policy.deleted',
        target: { id, name: row.name },
      });
    });
  }

  async #check(caller: Caller, settings: PolicySettings, before?: PolicySettings): Promise<void> {
    const { schedule, timezone, drill, destinationIds } = settings;
    const problem = scheduleProblem(schedule, timezone);
    if (problem) throw badRequest(`${problem.field} ${problem.problem}`, problem.field);
    const drillProblem = drill && scheduleProblem(drill.schedule, timezone);
    if (drillProblem) throw badRequest(`drill.schedule ${drillProblem.problem}`, 'drill.schedule');
    for (const id of destinationIds.filter((each) => !before?.destinationIds.includes(each)))
      await this.#requireDestination(caller, id);
  }

  /** Finds typing errors early. Before the first deployment, and while the server is away, any source is accepted. */
  async #requireSources(
    { organizationId, projectId, environment }: Pick<PolicyRow, 'organizationId' | 'projectId' | 'environment'>,
    { sources: wanted }: PolicySettings,
  ): Promise<void> {
    const { sources } = this.#deps;
    if (projectId === null || wanted === 'all') return;
    const owner = { organizationId, projectId, environment };
    const found = await sources.find(owner).catch((): FoundSource[] => []);
    if (!found.length) return;
    await sources.resolve(owner, wanted).catch((error: unknown) => {
      if (!(error instanceof BackupError)) throw error;
      throw badRequest(`sources: ${error.message}. There is ${found.map(({ name }) => name).join(', ')}.`, 'sources');
    });
  }

  async #requireDestination(caller: Caller, id: string): Promise<DestinationRow> {
    const row = await selectDestination(this.#deps.db, caller.organization.id, id);
    if (!row || !hasAccessTo(caller, 'backup_destination', id, 'write'))
      throw badRequest(`destinationIds: there is no destination ${id}`, 'destinationIds');
    return row;
  }

  async #write(
    caller: Caller,
    row: PolicyRow,
    action: `backup_policy.${string}`,
    write: (trx: Trx) => Promise<void>,
  ): Promise<PolicyRow> {
    try {
      await inTransaction(this.#deps.db, async (trx) => {
        await lockOrganization(trx, row.organizationId);
        await write(trx);
        await recordAudit(trx, row.organizationId, caller, { action, target: { id: row.id, name: row.name } });
      });
      return row;
    } catch (error) {
      if (isUniqueViolation(error))
        throw badRequest('name is taken by another backup policy; choose another one, or change that policy', 'name');
      throw error;
    }
  }
}

const timesOf = ({ schedule, timezone, drill }: PolicySettings, now: number) => ({
  nextRunAt: nextTime(schedule, timezone, now),
  nextDrillAt: drill && nextTime(drill.schedule, timezone, now),
});

function requireInstance(caller: Caller, { sources, hooks, drill }: PolicySettings): void {
  requireInstanceOwner(caller);
  if (drill || hooks.before || hooks.after || sources !== 'all')
    throw badRequest('scope: backups of the instance have no sources, hooks and drills', 'scope');
}

export const requireInstanceOwner = ({ isInstanceOwner }: Caller): void => {
  if (!isInstanceOwner) throw forbidden('only the instance owner may back up the instance');
};

/** For restricted members, whose grants are on projects. */
export const requireUnrestricted = ({ organization }: Caller): void => {
  if (organization.role === 'restricted') throw forbidden('you have grants on single projects only');
};
