import { z } from '../../../lib/zod/index.ts';
import type { Db } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { Deployment, type DeploymentListFilter, selectPage } from '../../deployments/port.ts';
import { selectCloudProjects, selectProject } from '../../projects/port.ts';
import {
  deleteLastSeen,
  putLastSeen,
  selectOwnDeploymentIds,
  selectLastSeen,
  selectSummaries,
  trimLastSeen,
} from './store.ts';

export type CloudDeployment = z.output<typeof Deployment>;
const readSummary = storedJson('cloud_deployments.summary', Deployment);
/** Project and last known status. */
export type LastSeenDeployment = Pick<CloudDeployment, 'projectId' | 'status'>;

const One = z.object({ data: Deployment });
const askMs = 5000;
const longestSummary = 100_000;
/** Maximum shown per project; a refresh fetches half as many. */
const mostOfProject = 1000;
/** Rows that a list filtered by environment or activity reads: all known ones of ten projects. */
const mostListed = 10 * mostOfProject;

/** Deployments in the cloud, as last seen. */
export class LastSeenDeployments {
  readonly #db: Db;
  readonly #client: CloudClient;

  constructor(db: Db, client: CloudClient) {
    this.#db = db;
    this.#client = client;
  }

  async list(organizationId: string, filter: DeploymentListFilter): Promise<z.input<typeof Deployment>[]> {
    const { environment, active, latest, cursor, limit } = filter;
    const isInSummary = Boolean(environment) || active;
    // The latest of an environment is chosen among all.
    const fromAll = { ...filter, latest: false, limit: mostListed, cursor: latest ? undefined : cursor };
    const read = isInSummary ? fromAll : filter;
    const rows = await selectPage(this.#db, organizationId, 'cloud_deployments', read);
    const found = rows
      .map(({ summary }) => readSummary(summary))
      .filter((each) => !environment || each.environment === environment);
    return (latest ? newestOfEachProject(found) : found)
      .filter((each) => (!active || each.active) && (cursor === undefined || each.id < cursor))
      .slice(0, limit);
  }

  /** Returns the last known state without a request. */
  async seen(organizationId: string, id: string): Promise<LastSeenDeployment | undefined> {
    const known = await selectLastSeen(this.#db, organizationId, id);
    return known && { projectId: known.projectId, status: known.status };
  }

  /** Returns the last known state, or fetches an unknown deployment. */
  async find(organizationId: string, id: string, address: CloudAddress): Promise<LastSeenDeployment | undefined> {
    const known = await this.seen(organizationId, id);
    if (known) return known;
    const path = `/api/deployments/${encodeURIComponent(id)}`;
    const { status, body } = await this.#client.json(address, { method: 'GET', path, withinMs: askMs });
    const found = status === 200 ? One.safeParse(body) : undefined;
    if (!found?.success || found.data.data.id !== id) return undefined;
    return (await this.note(organizationId, found.data.data)) ? found.data.data : undefined;
  }

  /** Stores a deployment if its project was promoted; a cloud cannot claim others. */
  async note(organizationId: string, deployment: CloudDeployment): Promise<boolean> {
    if (!isOne(deployment)) return false;
    if (!(await selectProject(this.#db, organizationId, deployment.projectId))?.cloudState) return false;
    if ((await selectOwnDeploymentIds(this.#db, [deployment.id])).size) return false;
    await this.#put(organizationId, deployment);
    await trimLastSeen(this.#db, organizationId, mostOfProject);
    return true;
  }

  /** Like `note` for many at once, most of them unchanged. Returns those that are ours. */
  async noteAll(organizationId: string, deployments: CloudDeployment[]): Promise<CloudDeployment[]> {
    const there = await selectCloudProjects(this.#db, organizationId);
    const likely = deployments.filter((each) => there.has(each.projectId) && isOne(each));
    const ids = likely.map(({ id }) => id);
    const [here, before] = [
      await selectOwnDeploymentIds(this.#db, ids),
      await selectSummaries(this.#db, organizationId, ids),
    ];
    // An id that exists here is skipped: requests would reach the local deployment, and lists would show the other.
    const ours = likely.filter(({ id }) => !here.has(id));
    for (const each of ours) if (before.get(each.id) !== JSON.stringify(each)) await this.#put(organizationId, each);
    // Limits the rows, however many the cloud lists.
    if (ours.some(({ id }) => !before.has(id))) await trimLastSeen(this.#db, organizationId, mostOfProject);
    return ours;
  }

  async #put(organizationId: string, deployment: CloudDeployment): Promise<void> {
    const { id, projectId, status } = deployment;
    const summary = JSON.stringify(deployment);
    const row = { id, organizationId, projectId, status, summary, seenAt: Date.now() };
    await putLastSeen(this.#db, row);
  }

  async forget(organizationId: string, id: string): Promise<void> {
    await deleteLastSeen(this.#db, organizationId, id);
  }
}

const newestOfEachProject = <T extends { projectId: string }>(newestFirst: T[]): T[] =>
  [...Map.groupBy(newestFirst, ({ projectId }) => projectId).values()].map(([newest]) => newest!);

/** The dashboard links there, so only http and https are safe. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** Drops anything whose id, URLs or size are not those of a deployment. */
const isOne = (deployment: CloudDeployment): boolean =>
  /^dep_[a-z0-9]{26}$/.test(deployment.id) &&
  deployment.urls.every(isWebAddress) &&
  JSON.stringify(deployment).length <= longestSummary;
