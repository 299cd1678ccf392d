import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { DomainTable, ProjectTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import { recordAudit } from '../../access/port.ts';
import { lockProject, visibleProject } from '../../projects/port.ts';
import { freeHolderOf } from '../free-names.ts';
import type { EnvironmentRef } from '../names.ts';
import { type DeploymentDomains, bringNames } from './deployment-domains.ts';
import { type Claims, HeldElsewhere, type Holder } from './claims.ts';
import { isBelow, requireOwnName } from './name.ts';
import { readRedirect, redirectsAway, requireNoCircle } from './redirects.ts';
import { changedColumns, domainOf } from './rows.ts';
import type { DomainBody, DomainChange, DomainCheck } from './schemas.ts';
import { clearPrimary, selectDomain, selectDomains, selectHolder, updateDomain } from './store.ts';
import {
  hasMostDomains,
  releaseDomain,
  lockProjects,
  nextPrimary,
  revokeDomain,
  claimDomain,
  tooManyDomains,
} from './claim.ts';

/** What answers under names of a project's environment has to be pointed anew. */
export type OnChange = (holder: { organizationId: string; projectId: string; environment: string }) => Promise<void>;

type Options = {
  db: Db;
  baseDomain: string;
  /** Where people reach the instance itself, as a name. */
  instanceHost: string | undefined;
  /** Who may have a name that somebody else has. */
  claims: Claims;
  /** Looks whether a name leads to the edge that answers for its project. */
  look: (row: DomainTable) => Promise<DomainCheck>;
  /** Called when a check found that the name points here. */
  onPointing: (name: string) => Promise<void>;
};

/** The services of what is active, by environment; none of one that is one app, or where nothing is active. */
export type FindServices = (organizationId: string, projectId: string) => Promise<ReadonlyMap<string, string[]>>;

/** Names of the user's own. Each belongs to one project and environment, in the whole instance. */
export class Domains {
  readonly #options: Options;
  readonly #listeners: OnChange[] = [];
  #findServices: FindServices = async () => new Map();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Calls when names have changed; the change counts already. */
  onChange(listener: OnChange): void {
    this.#listeners.push(listener);
  }

  /** Says who knows what is deployed. */
  knowServices(find: FindServices): void {
    this.#findServices = find;
  }

  /** The services that names of one project may lead to, where it matters. */
  async servicesFor(rows: readonly DomainTable[]): ReturnType<FindServices> {
    const [one] = rows.filter(({ service }) => service !== null);
    return one ? this.#findServices(one.organizationId, one.projectId) : new Map<string, string[]>();
  }

  async list(caller: Caller, projectId: string): Promise<DomainTable[]> {
    const { organizationId } = await visibleProject(this.#options.db, caller, projectId, 'read');
    return selectDomains(this.#options.db, organizationId, projectId);
  }

  /** A name that another organization has goes to the project if the name servers say that it is the caller's. */
  async add(caller: Caller, projectId: string, body: DomainBody): Promise<DomainTable> {
    const name = this.#requireOwnName(body.name, 'name');
    try {
      return await this.#add(caller, projectId, { ...body, name });
    } catch (error) {
      if (!(error instanceof HeldElsewhere)) throw error;
      await this.#options.claims.require(error.holder, caller.organization.id);
      return this.#add(caller, projectId, { ...body, name }, error.holder);
    }
  }

  /** `proven` has had it, and could not prove it. */
  async #add(caller: Caller, projectId: string, body: DomainBody, proven?: Holder): Promise<DomainTable> {
    const { id: organizationId } = caller.organization;
    // Below the domain of a server it stays the address of whoever lives there; who comes in by the name is led elsewhere.
    const from = proven && 'id' in proven ? proven : undefined;
    const { row, isTaken } = await inTransaction(this.#options.db, async (trx) => {
      await lockProjects(trx, { organizationId, projectId }, ...(from ? [from] : []));
      const project = await visibleProject(trx, caller, projectId, 'write');
      const others = await selectDomains(trx, project.organizationId, projectId);
      if (hasMostDomains(others)) throw tooManyDomains('name');
      const made = domainOf(project, others, body, caller.userId);
      const isAway = from !== undefined && (await revokeDomain(trx, from));
      await claimDomain(trx, made, this.#options, proven !== undefined);
      if (made.isPrimary) await clearPrimary(trx, made);
      const isProven = isAway || (proven !== undefined && !from);
      await audit(trx, caller, project, 'domain.added', made.name, isProven ? { provenBy: 'TXT record' } : {});
      return { row: made, isTaken: isAway };
    });
    // The edge lets nobody have a name that somebody else has there.
    if (from && isTaken) await this.#tell(from);
    await this.#tell(row);
    return row;
  }

  async change(caller: Caller, projectId: string, name: string, change: DomainChange): Promise<DomainTable> {
    const row = await inTransaction(this.#options.db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const before = await this.#find(trx, project, name);
      const others = await selectDomains(trx, project.organizationId, projectId);
      const redirect =
        change.redirectTo === undefined ? {} : { redirectTo: readRedirect(change.redirectTo, before.name) };
      const after = { ...before, ...changedColumns(change), ...redirect, updatedAt: Date.now() };
      if (after.redirectTo !== null && after.isPrimary) {
        if (change.isPrimary) throw redirectsAway();
        after.isPrimary = 0;
      }
      requireNoCircle(after, others);
      const { id, organizationId, ...rest } = after;
      await updateDomain(trx, organizationId, id, rest);
      if (after.isPrimary) await clearPrimary(trx, after);
      else if (before.isPrimary) await nextPrimary(trx, before);
      await audit(trx, caller, project, 'domain.changed', before.name, { fields: Object.keys(change).join(', ') });
      return after;
    });
    await this.#tell(row);
    return row;
  }

  async remove(caller: Caller, projectId: string, name: string): Promise<void> {
    const row = await inTransaction(this.#options.db, async (trx) => {
      await lockProject(trx, caller.organization.id, projectId);
      const project = await visibleProject(trx, caller, projectId, 'write');
      const found = await this.#find(trx, project, name);
      await releaseDomain(trx, found);
      await audit(trx, caller, project, 'domain.removed', found.name);
      return found;
    });
    await this.#tell(row);
  }

  /** Looks where the name leads, and remembers it. Of one that another organization has it says whether it can be had. */
  async check(caller: Caller, projectId: string, name: string): Promise<DomainTable> {
    const project = await visibleProject(this.#options.db, caller, projectId, 'write');
    const row = await selectDomain(this.#options.db, project.organizationId, project.id, dnsName(name) ?? name);
    if (row) return this.lookAt(row);
    const holder = await this.#holderOf(dnsName(name) ?? name);
    if (!holder || holder.organizationId === project.organizationId) throw notFound('domain');
    await this.#options.claims.require(holder, project.organizationId);
    throw new HeldElsewhere(holder, 'its TXT record proves that it is yours; add it to the project to move it there');
  }

  /** The same, by the service itself. */
  async lookAt(row: DomainTable): Promise<DomainTable> {
    const pointing = await this.#options.look(row);
    const seen = { pointing: JSON.stringify(pointing), checkedAt: Date.now() };
    await updateDomain(this.#options.db, row.organizationId, row.id, seen);
    if (pointing.status === 'here') await this.#options.onPointing(row.name);
    return { ...row, ...seen };
  }

  /** Names that a deployment comes with belong to its project from here on. */
  async ensure(trx: Trx, brought: DeploymentDomains): Promise<void> {
    const { baseDomain } = this.#options;
    const field = 'publicEndpoints.customDomain';
    // What was right when it was deployed may be the instance's own by now: nobody is there to be told.
    const isKept = (text: string) => brought.asked !== 'again' || !this.#isOurs(dnsName(text) ?? baseDomain);
    const names = brought.names.filter(isKept).map((text) => this.#requireOwnName(text, field));
    await bringNames(trx, { ...brought, names }, this.#options);
  }

  #isOurs = (name: string): boolean => isBelow(name, this.#options.baseDomain) || name === this.#options.instanceHost;

  /** Who answered under the instance's own name would be sent the cookies of everybody who is signed in to it. */
  #requireOwnName(text: string, field: string): string {
    const name = requireOwnName(text, this.#options.baseDomain, field);
    if (name === this.#options.instanceHost)
      throw badRequest(`${field}: ${name} is the domain of this instance itself`, field);
    return name;
  }

  /** There is another certificate for a name: it may be answered in another way. */
  async announce(name: string): Promise<void> {
    const holder = await this.#holderOf(name);
    if (holder) await this.#tell(holder);
  }

  /** Whoever has it as a domain, else below the domain of a machine. */
  async #holderOf(name: string): Promise<Holder | undefined> {
    const { db, baseDomain } = this.#options;
    return (await selectHolder(db, name)) ?? freeHolderOf(db, baseDomain, name);
  }

  /** An address below the domain of a server is nobody's who has it as a domain of another project there. */
  async requireNoDomain(
    sql: Sql,
    name: string,
    { organizationId, projectId }: Omit<DeploymentDomains['holder'], 'environment'>,
  ) {
    const holder = await selectHolder(sql, name);
    if (holder && holder.organizationId === organizationId && holder.projectId !== projectId)
      throw conflict(`${name} is a domain of another project; remove it there, or choose another slug`);
  }

  async #find(sql: Sql, { id, organizationId }: ProjectTable, text: string): Promise<DomainTable> {
    const row = await selectDomain(sql, organizationId, id, dnsName(text) ?? text);
    if (!row) throw notFound('domain');
    return row;
  }

  async #tell({ organizationId, projectId, environment }: EnvironmentRef): Promise<void> {
    for (const listener of this.#listeners) await listener({ organizationId, projectId, environment });
  }
}

const audit = (
  trx: Trx,
  caller: Caller,
  { id, organizationId }: ProjectTable,
  action: 'domain.added' | 'domain.changed' | 'domain.removed',
  name: string,
  details: Record<string, string> = {},
) => recordAudit(trx, organizationId, caller, { action, target: { id, name }, details: { ...details, project: id } });
