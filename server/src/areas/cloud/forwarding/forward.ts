import type { Db } from '../../../db/database.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Route } from '../../../http/define-route.ts';
import type { RemoteInstance, ForwardedResponse, ForwardedRequest } from '../../../http/forwarding.ts';
import type { Action } from '../../../http/permission.ts';
import { hasAccessTo, recordAudit, canSee } from '../../access/port.ts';
import { cloudNotLinked, isFinished } from '../../deployments/port.ts';
import type { LastSeenDeployment, LastSeenDeployments } from '../deployments/last-seen.ts';
import type { CloudLinks } from '../link/service.ts';
import { redactedResponse } from './redacted-response.ts';
import { completeBody } from './complete-body.ts';

type Deps = {
  db: Db;
  client: CloudClient;
  links: CloudLinks;
  known: LastSeenDeployments;
  /** Called after a change in the cloud. */
  onChange: (organizationId: string) => void;
  /** Whether the organization has projects in the cloud. */
  hasAny: (organizationId: string) => Promise<boolean>;
};

const lookMs = 20_000;

/** Forwards requests for deployments in the cloud. Permissions are checked here; the response is the cloud's. */
export class Forwarding implements RemoteInstance {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async ask(request: ForwardedRequest): Promise<ForwardedResponse | undefined> {
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
      // Reads return soon, or the cloud hangs.
      ...(!isChange && { withinMs: lookMs }),
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
    };
    const answer = await client.open(address, call).finally(() => {
      // A change may have succeeded even without a response.
      if (isChange) onChange(organizationId);
    });
    const status = answer.statusCode!;
    const isGone = status === 404 || (route.method === 'DELETE' && status < 300);
    if (isGone && isItself(route)) await known.forget(organizationId, id);
    const { headers, body: passed } = redactedResponse(answer, address.token);
    // Refreshes lists after the deployment was seen.
    if (isMoving) answer.once('close', () => onChange(organizationId));
    // The change succeeded even if the rest of the response does not arrive.
    const recorded = isChange && status < 300 ? this.#record(request) : undefined;
    const [shown] = await Promise.all([route.streams ? passed : completeBody(passed, call.isOnce), recorded]);
    return { status, headers, body: shown };
  }

  /** The cloud only knows the link's token, so the user is recorded here. */
  async #record({ route: { method, path }, caller, id }: ForwardedRequest): Promise<void> {
    await recordAudit(this.#deps.db, caller.organization.id, caller, {
      action: 'deployment.changed_in_cloud',
      target: { id, name: id },
      details: { request: `${method} ${path}` },
    });
  }

  async requireMay(request: Pick<ForwardedRequest, 'route' | 'caller' | 'id'>): Promise<void> {
    if (!(await this.#find(request))) throw notFound('deployment');
  }

  /** Returns the address of the cloud if the caller has the permission. */
  async #find({ route, caller, id }: Pick<ForwardedRequest, 'route' | 'caller' | 'id'>) {
    const { links, hasAny } = this.#deps;
    const { id: organizationId } = caller.organization;
    if (!(await hasAny(organizationId))) return undefined;
    const address = await links.of(organizationId);
    const known = await (address
      ? this.#knownAt(organizationId, id, address)
      : this.#deps.known.seen(organizationId, id));
    if (!known || !canSee(caller, 'project', known.projectId)) return undefined;
    requireOn(caller, known.projectId, route.permission.split(':')[1] as Action);
    if (route.onTarget) requireOn(caller, known.projectId, route.onTarget);
    // The deployment is known from lists, but the link was removed from the settings.
    if (!address) throw cloudNotLinked();
    return { address, isMoving: !isFinished(known.status) };
  }

  async #knownAt(organizationId: string, id: string, address: CloudAddress): Promise<LastSeenDeployment | undefined> {
    try {
      return await this.#deps.known.find(organizationId, id, address);
    } catch (error) {
      // Unknown here, and the cloud cannot be queried: treat it as not found.
      if (error instanceof AppError && error.code.startsWith('cloud_')) return undefined;
      throw error;
    }
  }
}

const isItself = ({ path }: Route): boolean => path === '/api/deployments/:id';

function requireOn(caller: Caller, projectId: string, action: Action): void {
  if (!hasPermission(caller, `deployment:${action}`)) throw forbidden(`this needs the permission deployment:${action}`);
  if (!hasAccessTo(caller, 'project', projectId, action))
    throw forbidden(`you were not granted ${action} on this project`);
}
