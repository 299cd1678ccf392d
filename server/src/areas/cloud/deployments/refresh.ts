import { setTimeout as sleep } from 'node:timers/promises';
import { z } from '../../../lib/zod/index.ts';
import type { Db } from '../../../db/database.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import { Deployment, isFinished } from '../../deployments/port.ts';
import { selectOrganizationsThere } from '../../projects/port.ts';
import type { CloudLinks } from '../link/service.ts';
import type { CloudDeployment, LastSeenDeployments } from './last-seen.ts';
import { selectAllLastSeen } from './store.ts';

type Deps = { db: Db; client: CloudClient; links: CloudLinks; known: LastSeenDeployments; log: Log };

// A running deployment changes by the second; viewers of a single one are forwarded and do not depend on this.
const everyMs = 5000;
const quietRounds = 12;
const pageMs = 10_000;
const mostPages = 5;
const patienceMs = 4000;

const Page = z.object({ data: z.array(z.unknown()), nextCursor: z.string().max(200).nullable() });

/** Refreshes the known deployments, so that lists need no request to the cloud. */
export class CloudRefresh {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;
  readonly #quiet = new Map<string, number>();
  readonly #looks = new Map<string, Promise<void>>();
  readonly #troubles = new Map<string, string>();

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`deployments in the cloud: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.round() });
  }

  start = (): void => this.#rounds.start();
  stop = (): Promise<void> => this.#rounds.stop();

  /** Refreshes the organization in the next round. */
  soon(organizationId: string): void {
    this.#quiet.delete(organizationId);
    this.#rounds.soon();
  }

  /** Each organization has its own cloud: a slow one does not delay the others. */
  async round(): Promise<void> {
    const ids = (await selectOrganizationsThere(this.#deps.db)).map(({ organizationId }) => organizationId);
    for (const id of ids) {
      if (this.#looks.has(id)) continue;
      const left = (this.#quiet.get(id) ?? 0) - 1;
      this.#quiet.set(id, left);
      if (left < 0)
        this.#looks.set(
          id,
          this.#look(id).finally(() => this.#looks.delete(id)),
        );
    }
    await Promise.race([Promise.all(this.#looks.values()), sleep(patienceMs, undefined, { ref: false })]);
    const trouble = ids.map((id) => this.#troubles.get(id)).find((each) => each !== undefined);
    if (trouble !== undefined) throw new Error(trouble);
  }

  /** Never throws: errors are reported at the end of a round. */
  async #look(id: string): Promise<void> {
    try {
      const address = await this.#deps.links.of(id);
      const isBusy = address && (await this.#refresh(id, address));
      this.#troubles.delete(id);
      // Deleted if `soon` was called meanwhile: then refresh again.
      if (this.#quiet.has(id) && isBusy !== undefined) this.#quiet.set(id, isBusy ? 0 : quietRounds);
    } catch (error) {
      this.#troubles.set(
        id,
        error instanceof AppError ? (error.extra.message ?? error.message) : (error as Error).message,
      );
      // Refresh again as soon as the cloud is back.
      this.#quiet.set(id, 0);
    }
  }

  /** Returns whether a deployment is running there. */
  async #refresh(organizationId: string, address: CloudAddress): Promise<boolean> {
    const before = new Map(
      (await selectAllLastSeen(this.#deps.db, organizationId)).map(({ id, status }) => [id, status]),
    );
    const seen = new Map<string, CloudDeployment>();
    let cursor: string | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await this.#page(address, cursor);
      const taken = await this.#deps.known.noteAll(organizationId, page.data.flatMap(understood));
      for (const each of taken) seen.set(each.id, each);
      cursor = page.nextCursor;
      if (cursor === null) break;
      const isBehind = [...before].some(([id, status]) => id < cursor! && !isFinished(status));
      if (!isBehind && taken.every(({ id }) => before.has(id))) break;
    }
    // A known deployment that no page contained, though it is within their range, was deleted in the cloud.
    for (const id of before.keys())
      if (!seen.has(id) && (cursor === null || id > cursor)) await this.#deps.known.forget(organizationId, id);
    return [...seen.values()].some(({ status }) => !isFinished(status));
  }

  async #page(address: CloudAddress, cursor: string | null) {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== null && { cursor }) });
    const path = `/api/deployments?${query.toString()}`;
    const { status, body } = await this.#deps.client.json(address, { method: 'GET', path, withinMs: pageMs });
    const found = Page.safeParse(body);
    if (status !== 200 || !found.success)
      throw new AppError('cloud_refused', `the cloud answers with status ${status}`);
    return found.data;
  }
}

/** A newer cloud may have unknown states; such deployments are still available by id. */
function understood(each: unknown): CloudDeployment[] {
  const { success, data } = Deployment.safeParse(each);
  return success ? [data] : [];
}
