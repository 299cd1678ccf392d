import type { Db } from '../../../db/database.ts';
import { type DeploymentTable, urlsIn } from '../../../db/tables/deployments.ts';
import type { Caller } from '../../../http/caller.ts';
import { hasAccessTo, canSee } from '../../access/port.ts';
import { isInDomain } from '../domains/domain-name.ts';
import type { EdgeLocations } from '../edges/edge-locations.ts';
import { chooseFreeHolder, type FreeHolder, freeHolderOf, holdersOf, possibleLabels } from '../free-names.ts';
import { selectLabelHolders } from '../free-names-store.ts';
import type { DomainPointing } from '../pointing/pointing.ts';
import { describePointing } from '../pointing/messages.ts';
import type {
  PointingResult,
  CertificateNameState,
  CertificateNamesPort,
  CertificateOwner,
} from './certificate-names-port.ts';
import {
  isActiveLabel,
  selectActiveLabelsHere,
  selectActiveOnServer,
  selectActiveOnServers,
  selectDomainOwner,
  selectDomainOwners,
  updatePointing,
} from './certificate-names-store.ts';

type Row = { name: string; organizationId: string; projectId: string };

const owned = ({ name, organizationId, projectId }: Row): CertificateOwner => ({
  name,
  organizationId,
  projectId,
});

const ofDashboard = (name: string): CertificateOwner => ({ name, organizationId: null, projectId: null });

/** Public authorities do not issue certificates for these. */
const isLocal = (domain: string): boolean =>
  !domain.includes('.') || /(^|\.)(localhost|test|local|internal|home\.arpa|invalid)$/.test(domain);

/** `api.shop` is a service of the project with the label `shop`. */
const labelOf = (below: string): string => below.split('.').at(-1)!;

const hostsIn = (row: Pick<DeploymentTable, 'urls'>): string[] => urlsIn(row).map((url) => new URL(url).hostname);

type Options = {
  db: Db;
  baseDomain: string;
  instanceHost: string | undefined;
  /** Host name of the dashboard, if the edge of this machine serves it. */
  dashboardHost: string | undefined;
  pointing: DomainPointing;
  places: EdgeLocations;
};

/** Names of projects by the database: their own domains, and those below the base domain of their server. */
export class CertificateNames implements CertificateNamesPort {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async wanted(): Promise<CertificateOwner[]> {
    const { db, baseDomain, dashboardHost } = this.#options;
    const dashboard = dashboardHost === undefined ? [] : [ofDashboard(dashboardHost)];
    const own = (await selectDomainOwners(db)).filter(({ name }) => name !== dashboardHost);
    const known = new Set([...dashboard, ...own].map(({ name }) => name));
    const free = [...(isLocal(baseDomain) ? [] : await this.#freeHere()), ...(await this.#freeOnServers())];
    return [...dashboard, ...[...own, ...free.filter(({ name }) => !known.has(name))].map(owned)];
  }

  /** Names below the instance's base domain that the local edge serves, including those of single services. */
  async #freeHere(): Promise<Row[]> {
    const suffix = `.${this.#options.baseDomain}`;
    const owners = new Map((await selectActiveLabelsHere(this.#options.db)).map((row) => [row.name, row]));
    return [...new Set(await this.#hostsHere())]
      .filter((host) => host.endsWith(suffix))
      .flatMap((name) => {
        const owner = owners.get(labelOf(name.slice(0, -suffix.length)));
        return owner ? [{ ...owner, name }] : [];
      });
  }

  async #hostsHere(): Promise<string[]> {
    const edge = await this.#options.places.here.edge();
    return (await edge.list()).flatMap(({ routes }) => routes.map(({ host }) => host));
  }

  /**
   * Names below the domains of servers, by the database alone: an unreachable server blocks nothing, and a server's
   * own claims are not trusted.
   */
  async #freeOnServers(): Promise<Row[]> {
    const { db, baseDomain, instanceHost } = this.#options;
    const active = (await selectActiveOnServers(db)).flatMap(({ urls, ...row }) =>
      hostsIn({ urls }).map((name) => ({ ...row, name })),
    );
    if (!active.length) return [];
    const labels = new Set(active.flatMap(({ name }) => possibleLabels(name)));
    const rows = await selectLabelHolders(db, [...labels]);
    const found: Row[] = [];
    for (const each of active) {
      const holder = await chooseFreeHolder(db, holdersOf(each.name, rows, baseDomain));
      const isTheirs = holder?.projectId === each.projectId && each.name !== instanceHost;
      if (isTheirs && !isLocal(holder.baseDomain)) found.push(each);
    }
    return found;
  }

  async ownerOf(name: string): Promise<CertificateNameState | undefined> {
    const { db, baseDomain, instanceHost, dashboardHost } = this.#options;
    if (name === dashboardHost) return { ...ofDashboard(name), isWanted: true, isAnswering: true };
    const row = isInDomain(name, baseDomain) ? undefined : await selectDomainOwner(db, name);
    if (row) return { ...owned(row), isWanted: true, isAnswering: true };
    const free = await freeHolderOf(db, baseDomain, name);
    if (!free || (free.serverId !== null && name === instanceHost)) return undefined;
    // By the database and not by this replica's edge: another replica may work on the order.
    const isAnswering = await isActiveLabel(db, free.label);
    const isPublic = isAnswering && !isLocal(free.baseDomain);
    const isWanted = isPublic && (name === `${free.label}.${free.baseDomain}` || (await this.#isAnswered(free)));
    return { ...owned(free), isWanted, isAnswering };
  }

  /** Any name below a label resolves, and the authority's quota is shared by the whole instance. */
  async #isAnswered({ name, projectId, serverId }: FreeHolder): Promise<boolean> {
    if (serverId === null) return (await this.#hostsHere()).includes(name);
    const rows = await selectActiveOnServer(this.#options.db, projectId);
    return rows.some((row) => hostsIn(row).includes(name));
  }

  async visibleTo(caller: Caller, name: string, action: 'read' | 'write'): Promise<boolean> {
    const owner = await this.ownerOf(name);
    if (owner?.projectId === null) return caller.isInstanceOwner;
    if (!owner || owner.organizationId !== caller.organization.id) return false;
    const { projectId } = owner;
    return canSee(caller, 'project', projectId) && hasAccessTo(caller, 'project', projectId, action);
  }

  /** Stores the result, so that the domain shows it. */
  async leadsHere({ name, projectId }: CertificateOwner, signal: AbortSignal): Promise<PointingResult> {
    const { db, pointing, places } = this.#options;
    const place = await places.ofProject(projectId);
    const leads = await pointing.check(name, place, signal);
    await updatePointing(db, name, JSON.stringify(describePointing(name, leads, place)));
    return leads;
  }
}
