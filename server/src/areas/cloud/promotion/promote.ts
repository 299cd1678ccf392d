import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import type { CloudAddress, CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { unreachable } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { recordAudit } from '../../access/audit/service.ts';
import { lockOrganization } from '../../access/organizations/store.ts';
import { Deployment } from '../../deployments/schemas.ts';
import type { FromAccess } from '../../deployments/service.ts';
import { isAnythingUnderWay } from '../../deployments/store.ts';
import type { ProjectsArea } from '../../projects/area.ts';
import { holdProject, markCloud } from '../../projects/projects/store.ts';
import { visibleProject } from '../../projects/projects/visible.ts';
import { refusalOf } from '../cloud-error.ts';
import type { CloudDeployment, KnownDeployments } from '../deployments/known.ts';
import type { CloudLinks } from '../link/service.ts';
import { carriedBody, requirePortable } from './carried.ts';

type On = { db: Db; client: CloudClient; links: CloudLinks; known: KnownDeployments; projects: ProjectsArea };

/** What we need of the answer; an older or newer cloud may say less or more of the project. */
const Taken = z.object({ data: z.object({ project: z.object({ url: z.string() }), deployment: Deployment }) });

const againMs = 1000;
/** Who asks again within this time means the same promotion. */
const sameForMs = 600_000;

/** Takes projects to the cloud, and deploys there what lives there. Until the cloud has said yes nothing changes here. */
export class Promotion {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  /** Undefined for what is deployed here. */
  async deploy(caller: Caller, wanted: FromAccess): Promise<CloudDeployment | undefined> {
    const isAsked = wanted.deployTarget === 'cloud';
    const address = await this.#on.links.of(caller.organization.id);
    if (isAsked && !address) await this.#on.links.require(caller.organization.id);
    if (!address && !isAsked) return undefined;
    const project = await visibleProject(this.#on.db, caller, wanted.projectId, 'write');
    const isThere = project.cloud_state === 'there';
    if (!isAsked && !isThere) return undefined;
    if (!isAsked && wanted.deployTarget !== undefined)
      throw badRequest(
        'this project lives in the cloud; bring it home before it is deployed elsewhere',
        'deployTarget',
      );
    requirePortable(project, wanted);
    if (!isThere) await this.#requireQuiet(project);
    return this.#promote(caller, project, wanted, address!);
  }

  /** What is being built here would be released here while the project lives there. */
  async #requireQuiet({ organization_id, id }: ProjectTable): Promise<void> {
    if (await isAnythingUnderWay(this.#on.db, organization_id, id))
      throw conflict('a deployment of this project is under way here; wait for it, or cancel it');
  }

  async #promote(caller: Caller, project: ProjectTable, wanted: FromAccess, address: CloudAddress) {
    const { db, projects } = this.#on;
    const named = keyFor(project, wanted);
    await markCloud(db, project, { cloud_key: named });
    const [key = ''] = named.split('.');
    const variables = await projects.variables.valuesOf(db, project.id);
    const deployKey = await projects.deployKeys.pairOf(db, project.organization_id, project.id);
    const body = carriedBody({ key, project, variables, deployKey, wanted });
    const answer = await this.#send(address, `/api/cloud/projects/${project.id}`, body);
    if (answer.status >= 300) {
      // The cloud's no is an outcome too: the next one is another promotion. What went wrong there may have begun all the same.
      if (answer.status < 500) await markCloud(db, project, { cloud_key: null });
      throw refusalOf(answer);
    }
    const found = Taken.safeParse(answer.body);
    if (!found.success) throw unreachable('answers something that we do not understand', found.error);
    const { deployment, project: there } = found.data.data;
    if (!(await this.#mark(caller, project, there.url, address))) {
      await this.#on.client.json(address, { method: 'DELETE', path: `/api/projects/${project.id}` });
      throw notFound('project');
    }
    await this.#on.known.note(project.organization_id, deployment);
    return deployment;
  }

  /** False when the project was removed meanwhile: then nobody would ever remove what is there. */
  async #mark(caller: Caller, project: ProjectTable, url: string, address: CloudAddress): Promise<boolean> {
    const { organization_id: organizationId, id } = project;
    return inTransaction(this.#on.db, async (trx) => {
      await lockOrganization(trx, organizationId);
      const now = await this.#on.links.of(organizationId, trx);
      // It would be looked for where it is not.
      if (now?.url !== address.url || now.token !== address.token)
        throw conflict('the link to the cloud was changed meanwhile; ask again');
      if (!(await holdProject(trx, organizationId, id))) return false;
      await markCloud(trx, project, { cloud_state: 'there', cloud_key: null, cloud_url: url });
      if (project.cloud_state !== 'there')
        await recordAudit(trx, organizationId, caller, { action: 'project.promoted', target: project });
      return true;
    });
  }

  /** Whether it arrived is not known when no answer comes. It is asked again with the same key, which does it once. */
  async #send(address: CloudAddress, path: string, body: unknown) {
    const call = { method: 'PUT', path, body };
    try {
      return await this.#on.client.json(address, call);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'cloud_unreachable') throw error;
      await sleep(againMs);
      return this.#on.client.json(address, call);
    }
  }
}

/** With what was asked for: something else is another promotion. */
function keyFor({ cloud_key }: ProjectTable, wanted: FromAccess): string {
  const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16);
  const isSame = cloud_key?.endsWith(`.${digest}`) && cloud_key > newId('prm', Date.now() - sameForMs);
  return isSame ? cloud_key! : `${newId('prm')}.${digest}`;
}
