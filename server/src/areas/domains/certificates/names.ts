import type { Db } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import { mayOn, seesOne } from '../../access/grants.ts';
import type { Pointing } from '../pointing/pointing.ts';
import type { Leads, Names, OwnedName } from './names-port.ts';
import { selectActiveLabels, selectDomainOwner, selectDomainOwners, selectLabelOwner } from './names-store.ts';

type Row = { name: string; organization_id: string; project_id: string };

const owned = ({ name, organization_id, project_id }: Row): OwnedName => ({
  name,
  organizationId: organization_id,
  projectId: project_id,
});

/** No authority that others trust issues anything for these. */
const isLocal = (domain: string): boolean =>
  !domain.includes('.') || /(^|\.)(localhost|test|local|internal|home\.arpa|invalid)$/.test(domain);

/** The names of projects as they are in the database: their own ones, and those below the instance's domain. */
export class StoredNames implements Names {
  readonly #db: Db;
  readonly #baseDomain: string;
  readonly #pointing: Pointing;

  constructor(on: { db: Db; baseDomain: string; pointing: Pointing }) {
    this.#db = on.db;
    this.#baseDomain = on.baseDomain;
    this.#pointing = on.pointing;
  }

  async wanted(): Promise<OwnedName[]> {
    const own = await selectDomainOwners(this.#db);
    const free = isLocal(this.#baseDomain) ? [] : await selectActiveLabels(this.#db);
    return [...own, ...free.map((row) => ({ ...row, name: `${row.name}.${this.#baseDomain}` }))].map(owned);
  }

  async ownerOf(name: string): Promise<(OwnedName & { isWanted: boolean }) | undefined> {
    const suffix = `.${this.#baseDomain}`;
    if (!name.endsWith(suffix)) {
      const row = await selectDomainOwner(this.#db, name);
      return row && { ...owned(row), isWanted: true };
    }
    const row = await selectLabelOwner(this.#db, name.slice(0, -suffix.length));
    return row && { ...owned({ ...row, name }), isWanted: !isLocal(this.#baseDomain) };
  }

  async visibleTo(caller: Caller, name: string, action: 'read' | 'write'): Promise<boolean> {
    const owner = await this.ownerOf(name);
    if (!owner || owner.organizationId !== caller.organization.id) return false;
    const { projectId } = owner;
    return seesOne(caller, 'project', projectId) && mayOn(caller, 'project', projectId, action);
  }

  leadsHere(name: string, signal: AbortSignal): Promise<Leads> {
    return this.#pointing.check(name, signal);
  }
}
