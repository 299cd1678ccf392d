import { z } from 'zod';
import type { Db } from '../../../db/database.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import { isFinished } from '../../deployments/model.ts';
import { Deployment } from '../../deployments/schemas.ts';
import { selectOrganizationsThere } from '../../projects/projects/store.ts';
import type { CloudLinks } from '../link/service.ts';
import type { CloudDeployment, KnownDeployments } from './known.ts';
import { selectKnownAll } from './store.ts';

type On = { db: Db; client: CloudClient; links: CloudLinks; known: KnownDeployments; log: Log };

// What is under way there changes by the second; whoever watches one of them is forwarded and does not wait for this.
const everyMs = 5000;
const quietRounds = 12;
const pageMs = 10_000;
const mostPages = 5;

const Page = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullable() });

/** Keeps what lists show of the cloud close to what it is, so that no list has to ask there. */
export class CloudRefresh {
  readonly #on: On;
  readonly #rounds: Rounds;
  readonly #quiet = new Map<string, number>();

  constructor(on: On) {
    this.#on = on;
    const warn = (message: string) => on.log.warn(`deployments in the cloud: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.round() });
  }

  start = (): void => this.#rounds.start();
  stop = (): Promise<void> => this.#rounds.stop();

  /** Something has happened there. */
  soon(organizationId: string): void {
    this.#quiet.delete(organizationId);
    this.#rounds.soon();
  }

  async round(): Promise<void> {
    const { db, links } = this.#on;
    const troubles: string[] = [];
    for (const { organization_id: id } of await selectOrganizationsThere(db)) {
      const left = (this.#quiet.get(id) ?? 0) - 1;
      this.#quiet.set(id, left);
      if (left >= 0) continue;
      const address = await links.of(id);
      if (!address) continue;
      const isBusy = await this.#refresh(id, address).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        troubles.push(error.extra.message ?? error.message);
        // What was under way when it went away is looked at as soon as it is back.
        return true;
      });
      this.#quiet.set(id, isBusy ? 0 : quietRounds);
    }
    if (troubles.length) throw new Error(troubles[0]);
  }

  /** Whether something is under way there. */
  async #refresh(organizationId: string, address: CloudAddress): Promise<boolean> {
    const before = new Map((await selectKnownAll(this.#on.db, organizationId)).map(({ id, status }) => [id, status]));
    const seen = new Map<string, CloudDeployment>();
    let cursor: string | null = null;
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await this.#page(address, cursor);
      const taken = await this.#on.known.noteAll(organizationId, page.data.flatMap(understood));
      for (const each of taken) seen.set(each.id, each);
      cursor = page.nextCursor;
      if (cursor === null) break;
      const isBehind = [...before].some(([id, status]) => id < cursor! && !isFinished(status));
      if (!isBehind && taken.every(({ id }) => before.has(id))) break;
    }
    // What was on none of the pages, though it would have had to be, was removed there.
    for (const id of before.keys())
      if (!seen.has(id) && (cursor === null || id > cursor)) await this.#on.known.forget(organizationId, id);
    return [...seen.values()].some(({ status }) => !isFinished(status));
  }

  async #page(address: CloudAddress, cursor: string | null) {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== null && { cursor }) });
    const path = `/api/deployments?${query.toString()}`;
    const { status, body } = await this.#on.client.json(address, { method: 'GET', path, withinMs: pageMs });
    const found = Page.safeParse(body);
    if (status !== 200 || !found.success)
      throw new AppError('cloud_refused', `the cloud answers with status ${status}`);
    return found.data;
  }
}

/** A newer cloud may have states that we do not know; they are there for whoever asks for them by their id. */
function understood(each: unknown): CloudDeployment[] {
  const { success, data } = Deployment.safeParse(each);
  return success ? [data] : [];
}
