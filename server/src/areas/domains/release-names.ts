import type { Db } from '../../db/database.ts';
import type { DomainTable } from '../../db/tables.ts';
import { cachedFor } from '../../lib/concurrency.ts';
import { selectAllCurrent } from './certificates/store.ts';
import { pointingOf } from './domains/schemas.ts';
import { selectAllDomains, selectDomains } from './domains/store.ts';
import { selectAllHostNames, selectHostNames } from '../projects/port.ts';

/** A custom domain, and its target. */
export interface CustomDomain {
  name: string;
  /** Target service; null for the main one. */
  service: string | null;
  path: string;
  /** Domain or origin to redirect to; null to serve the release. */
  redirectTo: string | null;
  isPrimary: boolean;
  https: 'redirect' | 'optional';
  hstsSeconds: number | null;
  /** Problem found by the last DNS check. */
  problem: string | null;
  /** Whether the last DNS check found no record. */
  isUnresolved: boolean;
}

/** Names of one environment. */
export interface DomainNames {
  own: readonly CustomDomain[];
  /** Whether the environment has this label: one of an older release may belong to another project by now. */
  hasLabel(label: string): boolean;
  /** Whether it has a valid certificate. */
  isSecure(host: string): boolean;
  /** Whether this is the host of the instance itself, which no release may serve. */
  isInstance(host: string): boolean;
}

export type ProjectRef = { organizationId: string; projectId: string };
export type EnvironmentRef = ProjectRef & { environment: string };

/** Upkeep of many servers reads them all at once. */
const recentMs = 5000;

type NamesOf = (answering: EnvironmentRef) => DomainNames;

/** Names that the edge routes need. */
export class ReleaseNames {
  readonly #db: Db;
  readonly #isInstance: DomainNames['isInstance'];
  readonly #recent = cachedFor(() => this.#readAll(), recentMs);

  constructor(db: Db, instanceHost?: string) {
    this.#db = db;
    this.#isInstance = (host) => host === instanceHost;
  }

  async of({ organizationId, projectId, environment }: EnvironmentRef): Promise<DomainNames> {
    const rows = await selectDomains(this.#db, organizationId, projectId);
    const own = rows.filter((row) => row.environment === environment).map(nameOf);
    const labels = await selectLabels(this.#db, projectId, environment);
    const isSecure = await this.#secure();
    return { own, hasLabel: (label) => labels.has(label), isSecure, isInstance: this.#isInstance };
  }

  /** Returns the names of all environments with one query each; `recent`: those of a moment ago will do. */
  all({ recent } = { recent: false }): Promise<NamesOf> {
    return recent ? this.#recent() : this.#readAll();
  }

  async #readAll(): Promise<NamesOf> {
    const keyOf = ({ projectId, environment }: Omit<EnvironmentRef, 'organizationId'>) => `${projectId}/${environment}`;
    const rows = Map.groupBy(await selectAllDomains(this.#db), keyOf);
    const labels = await selectLabelKeys(this.#db);
    const isSecure = await this.#secure();
    return (answering) => ({
      own: (rows.get(keyOf(answering)) ?? []).map(nameOf),
      hasLabel: (label) => labels.get(label) === keyOf(answering),
      isSecure,
      isInstance: this.#isInstance,
    });
  }

  async #secure(): Promise<DomainNames['isSecure']> {
    const good = (await selectAllCurrent(this.#db)).filter(({ notAfter }) => notAfter > Date.now());
    const hosts = new Set(good.map(({ name }) => name));
    return (host) => hosts.has(host);
  }
}

async function selectLabels(db: Db, projectId: string, environment: string): Promise<Set<string>> {
  return new Set((await selectHostNames(db, projectId, environment)).map(({ name }) => name));
}

/** Returns the project and environment of each label. */
async function selectLabelKeys(db: Db): Promise<Map<string, string>> {
  const rows = await selectAllHostNames(db);
  return new Map(rows.map(({ name, projectId, environment }) => [name, `${projectId}/${environment}`]));
}

const nameOf = (row: DomainTable): CustomDomain => ({
  ...row,
  isPrimary: row.isPrimary === 1,
  problem: problemOf(row),
  isUnresolved: pointingOf(row)?.status === 'not_found',
});

function problemOf(row: DomainTable): string | null {
  const pointing = pointingOf(row);
  return pointing && pointing.status !== 'here' ? [pointing.message, pointing.fix].filter(Boolean).join('. ') : null;
}
