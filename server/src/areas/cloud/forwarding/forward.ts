import type { Db } from '../../../db/database.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, forbidden, notFound } from '../../../errors.ts';
import { type Caller, may } from '../../../http/caller.ts';
import type { Route } from '../../../http/define-route.ts';
import type { Elsewhere, ForeignAnswer, ForeignRequest } from '../../../http/elsewhere.ts';
import type { Action } from '../../../http/permission.ts';
import { mayOn, recordAudit, seesOne } from '../../access/port.ts';
import { cloudNotLinked, isFinished } from '../../deployments/port.ts';
import type { LastSeenDeployment, KnownDeployments } from '../deployments/last-seen.ts';
import type { CloudLinks } from '../link/service.ts';
import { scrubbed } from './scrubbed.ts';
import { completeBody } from './complete-body.ts';

type Deps = {
  db: Db;
  client: CloudClient;
  links: CloudLinks;
  known: KnownDeployments;
  /** Something has changed there. */
  onChange: (organizationId: string) => void;
  /** Whether the organization has anything there at all. */
  hasAny: (organizationId: string) => Promise<boolean>;
};

const lookMs = 20_000;

/** Answers for deployments that live in the cloud. Who may ask is decided here; what comes back is the cloud's own answer. */
export class Forwarding implements Elsewhere {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async ask(request: ForeignRequest): Promise<ForeignAnswer | undefined> {
    const found = await this.#find(request);
    if (!found) return undefined;
    const { address, isMoving } = found;
    const { route, caller, id, path, body, lastEventId, signal } = request;
    const { client, known, onChange } = this.#deps;
    const organizationId = caller.organization.id;
    const isChange = route.method !== 'GET';
    const call = {
      method: route.method,
      path,
      body,
      signal,
      isLasting: route.streams === true,
      isOnce: isChange,
      // What is only looked at is there soon, or the cloud hangs.
      ...(!isChange && { withinMs: lookMs }),
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
    };
    const answer = await client.open(address, call).finally(() => {
      // Also without an answer something may have come of it.
      if (isChange) onChange(organizationId);
    });
    const status = answer.statusCode!;
    const isGone = status === 404 || (route.method === 'DELETE' && status < 300);
    if (isGone && isItself(route)) await known.forget(organizationId, id);
    const { headers, body: passed } = scrubbed(answer, address.token);
    // Whoever has seen the end of one finds it in the lists, too.
    if (isMoving) answer.once('close', () => onChange(organizationId));
    // It was done, also if the rest of the answer does not come.
    const recorded = isChange && status < 300 ? this.#record(request) : undefined;
    const [shown] = await Promise.all([route.streams ? passed : completeBody(passed, call.isOnce), recorded]);
    return { status, headers, body: shown };
  }

  /** There it was whoever's token it is; who it really was is known here alone. */
  async #record({ route: { method, path }, caller, id }: ForeignRequest): Promise<void> {
    await recordAudit(this.#deps.db, caller.organization.id, caller, {
      action: 'deployment.changed_in_cloud',
      target: { id, name: id },
      details: { request: `${method} ${path}` },
    });
  }

  async requireMay(request: Pick<ForeignRequest, 'route' | 'caller' | 'id'>): Promise<void> {
    if (!(await this.#find(request))) throw notFound('deployment');
  }

  /** Where it lives, if the caller may do that to it. */
  async #find({ route, caller, id }: Pick<ForeignRequest, 'route' | 'caller' | 'id'>) {
    const { links, hasAny } = this.#deps;
    const { id: organizationId } = caller.organization;
    if (!(await hasAny(organizationId))) return undefined;
    const address = await links.of(organizationId);
    const known = await (address
      ? this.#knownAt(organizationId, id, address)
      : this.#deps.known.seen(organizationId, id));
    if (!known || !seesOne(caller, 'project', known.projectId)) return undefined;
    requireOn(caller, known.projectId, route.permission.split(':')[1] as Action);
    if (route.onTarget) requireOn(caller, known.projectId, route.onTarget);
    // It is in lists: a link of the settings may go without anything else.
    if (!address) throw cloudNotLinked();
    return { address, isMoving: !isFinished(known.status) };
  }

  async #knownAt(organizationId: string, id: string, address: CloudAddress): Promise<LastSeenDeployment | undefined> {
    try {
      return await this.#deps.known.find(organizationId, id, address);
    } catch (error) {
      // It was never seen here, and who could have seen it cannot be asked: there is no such deployment, as far as we know.
      if (error instanceof AppError && error.code.startsWith('cloud_')) return undefined;
      throw error;
    }
  }
}

const isItself = ({ path }: Route): boolean => path === '/api/deployments/:id';

function requireOn(caller: Caller, projectId: string, action: Action): void {
  if (!may(caller, `deployment:${action}`)) throw forbidden(`this needs the permission deployment:${action}`);
  if (!mayOn(caller, 'project', projectId, action)) throw forbidden(`you were not granted ${action} on this project`);
}
