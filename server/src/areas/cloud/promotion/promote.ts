import { setTimeout as sleep } from 'node:timers/promises';
import { z } from '../../../lib/zod/index.ts';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { type CloudAddress, type CloudClient, cloudUnreachable } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Log } from '../../../lib/log.ts';
import { lockOrganization, recordAudit } from '../../access/port.ts';
import {
  customNameOf,
  Deployment,
  type AccessDeploymentRequest,
  hasUnfinishedDeployments,
} from '../../deployments/port.ts';
import type { ProjectsArea } from '../../projects/area.ts';
import { lockExistingProject, markCloud, selectProject, visibleProject } from '../../projects/port.ts';
import { cloudRefusal } from '../cloud-error.ts';
import { type CloudDeployment, isWebAddress, type LastSeenDeployments } from '../deployments/last-seen.ts';
import { type LinkedCloud, cloudLocationText } from '../link/location.ts';
import type { CloudLinks } from '../link/service.ts';
import { promotionBody, requirePortable } from './promotion-body.ts';
import { beginPromotion, type BegunPromotion, endPromotion, deploymentInProgressError } from './begin-promotion.ts';

type Deps = {
  db: Db;
  client: CloudClient;
  links: CloudLinks;
  known: LastSeenDeployments;
  projects: ProjectsArea;
  log: Log;
};

/** Only the fields that we need: other versions may send fewer or more. */
const Taken = z.object({
  data: z.object({ project: z.object({ url: z.string().max(2000).refine(isWebAddress) }), deployment: Deployment }),
});
type Taken = z.output<typeof Taken>['data'];

const againMs = 1000;

/** Promotes projects and deploys those in the cloud. Nothing changes here until the cloud has confirmed. */
export class Promotion {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Returns undefined for local deployments. */
  async deploy(caller: Caller, wanted: AccessDeploymentRequest): Promise<CloudDeployment | undefined> {
    const { db, links } = this.#deps;
    const isAsked = wanted.deployTarget === 'cloud';
    const address = isAsked ? await links.require(caller.organization.id) : await links.of(caller.organization.id);
    if (!address) return undefined;
    const project = await visibleProject(db, caller, wanted.projectId, 'write');
    if (!isAsked && project.cloudState !== 'there') return undefined;
    if (!isAsked && wanted.deployTarget !== undefined)
      throw badRequest('this project runs in the cloud; bring it home before you deploy it elsewhere', 'deployTarget');
    requirePortable(project, wanted);
    // The link's token may have more permissions than the caller.
    if (wanted.publicEndpoints?.some(customNameOf) && !hasPermission(caller, 'project:write'))
      throw forbidden('publicEndpoints with a custom domain needs the permission project:write');
    const begun = await beginPromotion(db, caller, { wanted, address });
    try {
      return await this.#promote(caller, begun, wanted, address);
    } finally {
      await endPromotion(db, begun);
    }
  }

  async #promote(
    caller: Caller,
    begun: BegunPromotion,
    wanted: AccessDeploymentRequest,
    address: LinkedCloud,
  ): Promise<CloudDeployment> {
    const { db, projects, known } = this.#deps;
    const { project } = begun;
    const [key = ''] = begun.key.split('.');
    const variables = await projects.variables.valuesOf(db, project.id);
    const deployKey = await projects.deployKeys.pairOf(db, project.organizationId, project.id);
    const body = promotionBody({ key, project, variables, deployKey, wanted });
    const answer = await this.#send(address, `/api/cloud/projects/${project.id}`, body);
    if (answer.status >= 300) {
      // A rejection ends this promotion; the next request gets a new key. A server error may have started it
      // nevertheless.
      if (answer.status < 500) await this.#forgetKey(begun);
      throw cloudRefusal(answer);
    }
    const found = Taken.safeParse(answer.body);
    if (!found.success || found.data.data.deployment.projectId !== project.id)
      throw cloudUnreachable('sent a response that Mooring does not understand', found.error);
    const taken = found.data.data;
    const lost = await this.#mark(caller, begun, taken, address);
    if (lost) {
      await this.#takeBack(address, project.id);
      throw lost;
    }
    await known.note(project.organizationId, taken.deployment);
    return taken.deployment;
  }

  /**
   * Stores the new state. Returns the reason if it cannot be stored: the copy in the cloud would then never be
   * removed.
   */
  async #mark(
    caller: Caller,
    begun: BegunPromotion,
    taken: Taken,
    address: LinkedCloud,
  ): Promise<AppError | undefined> {
    const { project, key } = begun;
    const { organizationId, id } = project;
    return inTransaction(this.#deps.db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const link = await this.#deps.links.of(organizationId, trx);
      // The project would be looked up in the wrong cloud.
      if (link?.url !== address.url || link.token !== address.token) {
        const changed = conflict('the cloud link has changed in the meantime; try again');
        if (project.cloudState === null) return changed;
        throw changed;
      }
      if (!(await lockExistingProject(trx, organizationId, id))) return notFound('project');
      const now = (await selectProject(trx, organizationId, id))!;
      if (now.cloudState !== 'there' && now.cloudState !== project.cloudState)
        throw conflict('this project has been brought home or removed from the cloud in the meantime; try again');
      // An equal concurrent request has released the block. This one is found again by its key.
      if (now.cloudState !== 'there' && (await hasUnfinishedDeployments(trx, organizationId, id)))
        throw deploymentInProgressError();
      await markCloud(trx, project, {
        cloudState: 'there',
        cloudUrl: taken.project.url,
        cloudAt: cloudLocationText({ ...address, organizationId: taken.deployment.organizationId }),
        ...(now.cloudKey === key && { cloudKey: null }),
      });
      if (now.cloudState !== 'there')
        await recordAudit(trx, organizationId, caller, { action: 'project.promoted', target: project });
      // Of several equal requests only the first is recorded.
      if (now.cloudKey === key) await this.#recordBegun(trx, caller, project, taken.deployment);
      return undefined;
    });
  }

  async #recordBegun(trx: Trx, caller: Caller, { organizationId, id, slug }: ProjectTable, begun: CloudDeployment) {
    await recordAudit(trx, organizationId, caller, {
      action: 'deployment.created',
      target: { id: begun.id, name: slug },
      details: { trigger: begun.trigger, environment: begun.environment, project: id, cloud: true },
    });
  }

  /** Unless another promotion has started since. */
  async #forgetKey({ project, key }: BegunPromotion): Promise<void> {
    await inTransaction(this.#deps.db, async (trx) => {
      if (!(await lockExistingProject(trx, project.organizationId, project.id))) return;
      const now = await selectProject(trx, project.organizationId, project.id);
      if (now?.cloudKey === key) await markCloud(trx, project, { cloudKey: null });
    });
  }

  /** Never throws for cloud errors: the caller reports why the promotion failed. */
  async #takeBack(address: CloudAddress, id: string): Promise<void> {
    try {
      const answer = await this.#deps.client.json(address, { method: 'DELETE', path: `/api/projects/${id}` });
      if (answer.status >= 300 && answer.status !== 404) throw cloudRefusal(answer);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#deps.log.warn(
        `project ${id} remains in the cloud at ${address.url}: ${error.extra.message ?? error.message}`,
      );
    }
  }

  /** Without a response its arrival is unknown, so it is retried with the same idempotency key. */
  async #send(address: CloudAddress, path: string, body: unknown) {
    const call = { method: 'PUT', path, body };
    try {
      return await this.#deps.client.json(address, call);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'cloud_unreachable') throw error;
      await sleep(againMs);
      return this.#deps.client.json(address, call);
    }
  }
}
