import type { Db } from '../../db/database.ts';
import type { DomainTable } from '../../db/tables.ts';
import { selectAllCurrent } from './certificates/store.ts';
import { pointingOf } from './domains/schemas.ts';
import { selectAllDomains, selectDomains } from './domains/store.ts';
import { selectAllHostNames, selectHostNames } from '../projects/port.ts';

/** A name of the user's own, and what is to answer there. */
export interface OwnName {
  name: string;
  /** Which of several services; null: the one that people open first. */
  service: string | null;
  path: string;
  /** A name or an origin that visitors are sent to; null: they are answered. */
  redirectTo: string | null;
  isPrimary: boolean;
  https: 'redirect' | 'optional';
  hstsSeconds: number | null;
  /** Why visitors do not come here, as far as somebody has looked. */
  problem: string | null;
}

/** What is known of the names of a project's environment. */
export interface DomainNames {
  own: readonly OwnName[];
  /** Whether a label below the instance's domain is theirs: a release of before may have had one that is somebody else's by now. */
  hasLabel(label: string): boolean;
  /** Whether there is a certificate for it. */
  isSecure(host: string): boolean;
  /** Whether people reach the instance itself there: no release answers under that name, whosever it is. */
  isInstance(host: string): boolean;
}

/** Where somebody answers. */
export type EnvironmentRef = { organizationId: string; projectId: string; environment: string };

/** Names as whoever points the edge needs them. */
export class ReleaseNames {
  readonly #db: Db;
  readonly #isInstance: DomainNames['isInstance'];

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

  /** Those of everybody, by one look. */
  async all(): Promise<(answering: EnvironmentRef) => DomainNames> {
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

/** Whose each is. */
async function selectLabelKeys(db: Db): Promise<Map<string, string>> {
  const rows = await selectAllHostNames(db);
  return new Map(rows.map(({ name, projectId, environment }) => [name, `${projectId}/${environment}`]));
}

const nameOf = (row: DomainTable): OwnName => ({ ...row, isPrimary: row.isPrimary === 1, problem: problemOf(row) });

function problemOf(row: DomainTable): string | null {
  const pointing = pointingOf(row);
  return pointing && pointing.status !== 'here' ? [pointing.message, pointing.fix].filter(Boolean).join('. ') : null;
}
