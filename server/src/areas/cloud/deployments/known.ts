import { z } from 'zod';
import type { Db } from '../../../db/database.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { Deployment } from '../../deployments/schemas.ts';
import type { ListFilter } from '../../deployments/store.ts';
import { selectOrganizationsThere, selectProject } from '../../projects/projects/store.ts';
import { deleteKnown, putKnown, selectKnown, selectKnownPage } from './store.ts';

export type CloudDeployment = z.output<typeof Deployment>;

const One = z.object({ data: Deployment });
const askMs = 5000;

/** Deployments that the cloud has made for projects of ours, as they were seen last. */
export class KnownDeployments {
  readonly #db: Db;
  readonly #client: CloudClient;
  /** Organizations that have something there, so that all the others pay nothing for it. Not known yet: undefined. */
  #there: Set<string> | undefined;

  constructor(db: Db, client: CloudClient) {
    this.#db = db;
    this.#client = client;
  }

  /** Who has something there: now, and whenever another replica may have taken something there. */
  async learn(): Promise<string[]> {
    const found = (await selectOrganizationsThere(this.#db)).map(({ organization_id }) => organization_id);
    this.#there = new Set(found);
    return found;
  }

  async hasAny(organizationId: string): Promise<boolean> {
    if (!this.#there) await this.learn();
    return this.#there!.has(organizationId);
  }

  async list(organizationId: string, filter: ListFilter): Promise<CloudDeployment[]> {
    if (!(await this.hasAny(organizationId))) return [];
    const rows = await selectKnownPage(this.#db, organizationId, filter);
    return rows.map(({ summary }) => JSON.parse(summary) as CloudDeployment);
  }

  /** The project that a deployment there belongs to. One that is new to us is asked for. */
  async projectOf(organizationId: string, id: string, address: CloudAddress): Promise<string | undefined> {
    const known = await selectKnown(this.#db, organizationId, id);
    if (known) return known.project_id;
    const path = `/api/deployments/${encodeURIComponent(id)}`;
    const { status, body } = await this.#client.json(address, { method: 'GET', path, withinMs: askMs });
    const found = status === 200 ? One.safeParse(body) : undefined;
    if (!found?.success || found.data.data.id !== id) return undefined;
    return (await this.note(organizationId, found.data.data)) ? found.data.data.projectId : undefined;
  }

  /** What the cloud says counts for projects that we have taken there, and for no others. */
  async note(organizationId: string, deployment: CloudDeployment): Promise<boolean> {
    const { id, projectId, status } = deployment;
    if (!(await selectProject(this.#db, organizationId, projectId))?.cloud_state) return false;
    this.#there?.add(organizationId);
    await putKnown(this.#db, {
      id,
      organization_id: organizationId,
      project_id: projectId,
      status,
      summary: JSON.stringify(deployment),
      seen_at: Date.now(),
    });
    return true;
  }

  async forget(organizationId: string, id: string): Promise<void> {
    await deleteKnown(this.#db, organizationId, id);
  }
}
