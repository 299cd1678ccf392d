import type { Db } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Caller } from '../../../http/caller.ts';
import { mayOn, seesOne } from '../../access/grants.ts';
import { type Pointing, seen } from '../pointing/pointing.ts';
import type { Leads, NameState, Names, OwnedName } from './names-port.ts';
import {
  isActiveLabel,
  selectActiveLabels,
  selectDomainOwner,
  selectDomainOwners,
  selectLabelOwner,
  updatePointing,
} from './names-store.ts';

type Row = { name: string; organization_id: string; project_id: string };

const owned = ({ name, organization_id, project_id }: Row): OwnedName => ({
  name,
  organizationId: organization_id,
  projectId: project_id,
});

/** No authority that others trust issues anything for these. */
const isLocal = (domain: string): boolean =>
  !domain.includes('.') || /(^|\.)(localhost|test|local|internal|home\.arpa|invalid)$/.test(domain);

/** `api.shop` is a service of whoever has `shop`. */
const labelOf = (below: string): string => below.split('.').at(-1)!;

/** The names of projects as they are in the database: their own ones, and those below the instance's domain. */
export class StoredNames implements Names {
  readonly #db: Db;
  readonly #baseDomain: string;
  readonly #pointing: Pointing;
  readonly #edge: Pick<Edge, 'list'>;

  constructor(on: { db: Db; baseDomain: string; pointing: Pointing; edge: Pick<Edge, 'list'> }) {
    this.#edge = on.edge;
    this.#db = on.db;
    this.#baseDomain = on.baseDomain;
    this.#pointing = on.pointing;
  }

  async wanted(): Promise<OwnedName[]> {
    const own = await selectDomainOwners(this.#db);
    return [...own, ...(isLocal(this.#baseDomain) ? [] : await this.#free())].map(owned);
  }

  /** Below the instance's domain: what the edge answers under, each service of several included. */
  async #free(): Promise<Row[]> {
    const suffix = `.${this.#baseDomain}`;
    const owners = new Map((await selectActiveLabels(this.#db)).map((row) => [row.name, row]));
    const hosts = (await this.#edge.list()).flatMap(({ routes }) => routes.map(({ host }) => host));
    return [...new Set(hosts)]
      .filter((host) => host.endsWith(suffix))
      .flatMap((name) => {
        const owner = owners.get(labelOf(name.slice(0, -suffix.length)));
        return owner ? [{ ...owner, name }] : [];
      });
  }

  async ownerOf(name: string): Promise<NameState | undefined> {
    const suffix = `.${this.#baseDomain}`;
    if (!name.endsWith(suffix)) {
      const row = await selectDomainOwner(this.#db, name);
      return row && { ...owned(row), isWanted: true, isAnswering: true };
    }
    const below = name.slice(0, -suffix.length);
    const row = await selectLabelOwner(this.#db, labelOf(below));
    if (!row) return undefined;
    // By the database and not by the edge of this replica: whoever works on an order may be another one.
    const isAnswering = await isActiveLabel(this.#db, row.name);
    const isPublic = isAnswering && !isLocal(this.#baseDomain);
    const isWanted = isPublic && (below === row.name || (await this.#isAnswered(name)));
    return { ...owned({ ...row, name }), isWanted, isAnswering };
  }

  /** Below a label any name can be thought of, and an authority issues only so many for the whole instance. */
  async #isAnswered(name: string): Promise<boolean> {
    return (await this.#edge.list()).some(({ routes }) => routes.some(({ host }) => host === name));
  }

  async visibleTo(caller: Caller, name: string, action: 'read' | 'write'): Promise<boolean> {
    const owner = await this.ownerOf(name);
    if (!owner || owner.organizationId !== caller.organization.id) return false;
    const { projectId } = owner;
    return seesOne(caller, 'project', projectId) && mayOn(caller, 'project', projectId, action);
  }

  /** What was seen is kept for whoever looks at the domain. */
  async leadsHere(name: string, signal: AbortSignal): Promise<Leads> {
    const leads = await this.#pointing.check(name, signal);
    await updatePointing(this.#db, name, JSON.stringify(seen(name, leads)));
    return leads;
  }
}
