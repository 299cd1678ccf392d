import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { DomainTable, ProjectTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import { recordAudit } from '../../access/audit/service.ts';
import { selectHostName } from '../../projects/host-names/store.ts';
import { lockProject } from '../../projects/projects/store.ts';
import { visibleProject } from '../../projects/projects/visible.ts';
import type { Answering } from '../names.ts';
import { requireOwnName } from './name.ts';
import { readRedirect, redirectsAway, requireNoCircle } from './redirects.ts';
import { changes, newDomain } from './rows.ts';
import type { DomainBody, DomainChange, Pointing } from './schemas.ts';
import {
  clearPrimary,
  deleteDomain,
  insertDomain,
  selectDomain,
  selectDomains,
  selectHolder,
  updateDomain,
} from './store.ts';

const mostOfProject = 100;

/** What answers under names of a project's environment has to be pointed anew. */
export type OnChange = (holder: { organizationId: string; projectId: string; environment: string }) => Promise<void>;

type Options = {
  db: Db;
  baseDomain: string;
  /** Where people reach the instance itself, as a name. */
  instanceHost: string | undefined;
  /** Looks whether a name leads to this instance. */
  look: (name: string) => Promise<Pointing>;
};

/** Names of the user's own. Each belongs to one project and environment, in the whole instance. */
export class Domains {
  readonly #on: Options;
  readonly #listeners: OnChange[] = [];

  constructor(options: Options) {
    this.#on = options;
  }

  /** Calls when names have changed; the change counts already. */
  onChange(listener: OnChange): void {
    this.#listeners.push(listener);
  }

  async list(caller: Caller, projectId: string): Promise<DomainTable[]> {
    const { organization_id } = await visibleProject(this.#on.db, caller, projectId, 'read');
    return selectDomains(this.#on.db, organization_id, projectId);
  }

  async add(caller: Caller, projectId: string, body: DomainBody): Promise<DomainTable> {
    const name = this.#requireOwnName(body.name, 'name');
    const row = await inTransaction(this.#on.db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const others = await selectDomains(trx, project.organization_id, projectId);
      if (others.length >= mostOfProject) throw badRequest(`a project has at most ${mostOfProject} domains`, 'name');
      const isFirst = !others.some(({ environment, is_primary }) => environment === body.environment && is_primary);
      if (body.redirectTo !== null && body.isPrimary) throw redirectsAway();
      const isPrimary = body.redirectTo === null && (body.isPrimary ?? isFirst);
      const made: DomainTable = {
        ...newDomain(project, name, body.environment, caller.userId),
        ...changes({ ...body, isPrimary }),
        redirect_to: readRedirect(body.redirectTo, name),
      };
      requireNoCircle(made, others);
      await this.#take(trx, made);
      if (made.is_primary) await clearPrimary(trx, made);
      await audit(trx, caller, project, 'domain.added', name);
      return made;
    });
    await this.#tell(row);
    return row;
  }

  async change(caller: Caller, projectId: string, name: string, change: DomainChange): Promise<DomainTable> {
    const row = await inTransaction(this.#on.db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const before = await this.#find(trx, project, name);
      const others = await selectDomains(trx, project.organization_id, projectId);
      const redirect =
        change.redirectTo === undefined ? {} : { redirect_to: readRedirect(change.redirectTo, before.name) };
      const after = { ...before, ...changes(change), ...redirect, updated_at: Date.now() };
      if (after.redirect_to !== null && after.is_primary) {
        if (change.isPrimary) throw redirectsAway();
        after.is_primary = 0;
      }
      requireNoCircle(after, others);
      const { id, organization_id, ...rest } = after;
      await updateDomain(trx, organization_id, id, rest);
      if (after.is_primary) await clearPrimary(trx, after);
      await audit(trx, caller, project, 'domain.changed', before.name, { fields: Object.keys(change).join(', ') });
      return after;
    });
    await this.#tell(row);
    return row;
  }

  async remove(caller: Caller, projectId: string, name: string): Promise<void> {
    const row = await inTransaction(this.#on.db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const found = await this.#find(trx, project, name);
      await deleteDomain(trx, project.organization_id, found);
      if (found.is_primary) await this.#nextPrimary(trx, found);
      await audit(trx, caller, project, 'domain.removed', found.name);
      return found;
    });
    await this.#tell(row);
  }

  /** Looks where the name leads, and remembers it. */
  async check(caller: Caller, projectId: string, name: string): Promise<DomainTable> {
    const project = await visibleProject(this.#on.db, caller, projectId, 'write');
    return this.lookAt(await this.#find(this.#on.db, project, name));
  }

  /** The same, by the service itself. */
  async lookAt(row: DomainTable): Promise<DomainTable> {
    const seen = { pointing: JSON.stringify(await this.#on.look(row.name)), checked_at: Date.now() };
    await updateDomain(this.#on.db, row.organization_id, row.id, seen);
    return { ...row, ...seen };
  }

  /** Names that a deployment asks for belong to its project from here on. One that somebody else has is a conflict, or is left to them. */
  async ensure(
    trx: Trx,
    actor: { userId: string },
    holder: { organizationId: string; projectId: string; environment: string },
    names: readonly string[],
    isRequired: boolean,
  ): Promise<void> {
    const { organizationId: organization_id, projectId: id, environment } = holder;
    for (const text of new Set(names)) {
      const name = this.#requireOwnName(text, 'publicEndpoints.customDomain');
      const known = await selectHolder(trx, name);
      const isOurs = known?.project_id === id && known.environment === environment;
      if (known && (isOurs || !isRequired)) continue;
      const others = await selectDomains(trx, organization_id, id);
      const isFirst = !others.some((each) => each.environment === environment && each.is_primary);
      const made = newDomain({ id, organization_id }, name, environment, actor.userId);
      await this.#take(trx, { ...made, is_primary: isFirst ? 1 : 0 });
    }
  }

  /** Who answered under the instance's own name would be sent the cookies of everybody who is signed in to it. */
  #requireOwnName(text: string, field: string): string {
    const name = requireOwnName(text, this.#on.baseDomain, field);
    if (name === this.#on.instanceHost)
      throw badRequest(`${field}: ${name} is the name of this instance itself`, field);
    return name;
  }

  /** There is another certificate for a name: it may be answered in another way. */
  async announce(name: string): Promise<void> {
    const holder = (await selectHolder(this.#on.db, name)) ?? (await this.#holderOfFree(name));
    if (holder) await this.#tell(holder);
  }

  async #holderOfFree(name: string) {
    const suffix = `.${this.#on.baseDomain}`;
    if (!name.endsWith(suffix)) return undefined;
    // A service has its name below that of its project.
    return selectHostName(this.#on.db, name.slice(0, -suffix.length).split('.').at(-1)!);
  }

  async #take(trx: Trx, row: DomainTable): Promise<void> {
    if (await insertDomain(trx, row)) return;
    const holder = await selectHolder(trx, row.name);
    const isOurs = holder?.project_id === row.project_id;
    throw conflict(
      isOurs
        ? `${row.name} belongs to this project already, in the environment ${holder.environment}`
        : `${row.name} belongs to another project of this instance`,
    );
  }

  async #find(sql: Sql, { id, organization_id }: ProjectTable, text: string): Promise<DomainTable> {
    const row = await selectDomain(sql, organization_id, id, dnsName(text) ?? text);
    if (!row) throw notFound('domain');
    return row;
  }

  /** The oldest of the others that answers. */
  async #nextPrimary(trx: Trx, { organization_id, project_id, environment }: DomainTable): Promise<void> {
    const left = await selectDomains(trx, organization_id, project_id);
    const [next] = left
      .filter((each) => each.environment === environment && each.redirect_to === null)
      .toSorted((one, other) => one.created_at - other.created_at);
    if (next) await updateDomain(trx, organization_id, next.id, { is_primary: 1 });
  }

  async #tell({ organization_id, project_id, environment }: Answering): Promise<void> {
    for (const listener of this.#listeners)
      await listener({ organizationId: organization_id, projectId: project_id, environment });
  }
}

const audit = (
  trx: Trx,
  caller: Caller,
  { id, organization_id }: ProjectTable,
  action: 'domain.added' | 'domain.changed' | 'domain.removed',
  name: string,
  details: Record<string, string> = {},
) => recordAudit(trx, organization_id, caller, { action, target: { id, name }, details: { ...details, project: id } });
