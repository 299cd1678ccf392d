import { type Db, inTransaction, type Sql, type Trx } from '../../../db/database.ts';
import type { DomainTable, ProjectTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import { recordAudit } from '../../access/port.ts';
import { lockProject, visibleProject } from '../../projects/port.ts';
import { freeHolderOf } from '../free-names.ts';
import type { EnvironmentRef } from '../release-names.ts';
import { type DeploymentDomains, addDeploymentDomains } from './deployment-domains.ts';
import { type OwnershipClaims, NameHeldElsewhereError, type NameHolder } from './ownership-claims.ts';
import { isInDomain, requireOwnName } from './domain-name.ts';
import { readRedirect, redirectsAway, requireNoCircle } from './redirects.ts';
import { changedColumns, domainRowOf } from './rows.ts';
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

/** Called when the routes of an environment have to be updated. */
export type OnChange = (holder: { organizationId: string; projectId: string; environment: string }) => Promise<void>;

type Options = {
  db: Db;
  baseDomain: string;
  /** Host name of the instance itself. */
  instanceHost: string | undefined;
  /** Decides on names that another organization has. */
  claims: OwnershipClaims;
  /** Checks whether a domain points to the edge that serves its project. */
  look: (row: DomainTable) => Promise<DomainCheck>;
  /** Called when a check finds that the domain points here. */
  onPointing: (name: string) => Promise<void>;
};

/** Returns the services of the active releases by environment; none for single-app releases. */
export type FindServices = (organizationId: string, projectId: string) => Promise<ReadonlyMap<string, string[]>>;

/** Custom domains. Each belongs to one project and environment across the instance. */
export class Domains {
  readonly #options: Options;
  readonly #listeners: OnChange[] = [];
  #findServices: FindServices = async () => new Map();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Registers a listener that runs after a change is committed. */
  onChange(listener: OnChange): void {
    this.#listeners.push(listener);
  }

  knowServices(find: FindServices): void {
    this.#findServices = find;
  }

  /** Returns the services of the project, or none if no domain names a service. */
  async servicesFor(rows: readonly DomainTable[]): ReturnType<FindServices> {
    const [one] = rows.filter(({ service }) => service !== null);
    return one ? this.#findServices(one.organizationId, one.projectId) : new Map<string, string[]>();
  }

  async list(caller: Caller, projectId: string): Promise<DomainTable[]> {
    const { organizationId } = await visibleProject(this.#options.db, caller, projectId, 'read');
    return selectDomains(this.#options.db, organizationId, projectId);
  }

  /** Takes a name from another organization if its TXT record proves that it is the caller's. */
  async add(caller: Caller, projectId: string, body: DomainBody): Promise<DomainTable> {
    const name = this.#requireOwnName(body.name, 'name');
    try {
      return await this.#add(caller, projectId, { ...body, name });
    } catch (error) {
      if (!(error instanceof NameHeldElsewhereError)) throw error;
      await this.#options.claims.require(error.holder, caller.organization.id);
      return this.#add(caller, projectId, { ...body, name }, error.holder);
    }
  }

  /** `proven` is the holder that could not prove ownership. */
  async #add(caller: Caller, projectId: string, body: DomainBody, proven?: NameHolder): Promise<DomainTable> {
    const { id: organizationId } = caller.organization;
    // A free name below the domain of a server is not released: the project there keeps its address.
    const from = proven && 'id' in proven ? proven : undefined;
    const { row, isTaken } = await inTransaction(this.#options.db, async (trx) => {
      await lockProjects(trx, { organizationId, projectId }, ...(from ? [from] : []));
      const project = await visibleProject(trx, caller, projectId, 'write');
      const others = await selectDomains(trx, project.organizationId, projectId);
      if (hasMostDomains(others)) throw tooManyDomains('name');
      const made = domainRowOf(project, others, body, caller.userId);
      const isAway = from !== undefined && (await revokeDomain(trx, from));
      await claimDomain(trx, made, this.#options, proven !== undefined);
      if (made.isPrimary) await clearPrimary(trx, made);
      const isProven = isAway || (proven !== undefined && !from);
      await audit(trx, caller, project, 'domain.added', made.name, isProven ? { provenBy: 'TXT record' } : {});
      return { row: made, isTaken: isAway };
    });
    // The previous holder's route goes first: the edge rejects a name that another route has.
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

  /**
   * Checks DNS and stores the result. For a name of another organization it reports whether the caller could claim
   * it.
   */
  async check(caller: Caller, projectId: string, name: string): Promise<DomainTable> {
    const project = await visibleProject(this.#options.db, caller, projectId, 'write');
    const row = await selectDomain(this.#options.db, project.organizationId, project.id, dnsName(name) ?? name);
    if (row) return this.lookAt(row);
    const holder = await this.#holderOf(dnsName(name) ?? name);
    if (!holder || holder.organizationId === project.organizationId) throw notFound('domain');
    await this.#options.claims.require(holder, project.organizationId);
    throw new NameHeldElsewhereError(
      holder,
      'its TXT record proves that it is yours; add it to the project to move it there',
    );
  }

  /** Like `check`, without a caller. */
  async lookAt(row: DomainTable): Promise<DomainTable> {
    const pointing = await this.#options.look(row);
    const seen = { pointing: JSON.stringify(pointing), checkedAt: Date.now() };
    await updateDomain(this.#options.db, row.organizationId, row.id, seen);
    if (pointing.status === 'here') await this.#options.onPointing(row.name);
    return { ...row, ...seen };
  }

  /** Adds the domains that a deployment comes with. */
  async ensure(trx: Trx, brought: DeploymentDomains): Promise<void> {
    const { baseDomain } = this.#options;
    const field = 'publicEndpoints.customDomain';
    // A name that was valid then may belong to the instance by now; a redeployment skips it.
    const isKept = (text: string) => brought.asked !== 'again' || !this.#isOurs(dnsName(text) ?? baseDomain);
    const names = brought.names.filter(isKept).map((text) => this.#requireOwnName(text, field));
    await addDeploymentDomains(trx, { ...brought, names }, this.#options);
  }

  #isOurs = (name: string): boolean =>
    isInDomain(name, this.#options.baseDomain) || name === this.#options.instanceHost;

  /** A project that served the instance's own host would receive the session cookies of all users. */
  #requireOwnName(text: string, field: string): string {
    const name = requireOwnName(text, this.#options.baseDomain, field);
    if (name === this.#options.instanceHost)
      throw badRequest(`${field}: ${name} is the domain of this instance itself`, field);
    return name;
  }

  /** Updates the routes of a name whose certificate has changed. */
  async updateRoutesOf(name: string): Promise<void> {
    const holder = await this.#holderOf(name);
    if (holder) await this.#tell(holder);
  }

  /** Returns the holder of a name as a domain, else below the domain of a machine. */
  async #holderOf(name: string): Promise<NameHolder | undefined> {
    const { db, baseDomain } = this.#options;
    return (await selectHolder(db, name)) ?? freeHolderOf(db, baseDomain, name);
  }

  /** Rejects an address below the domain of a server that is a domain of another project of the organization. */
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
