import { type Db, inTransaction, type Sql } from '../../../db/database.ts';
import type { DeploymentTable, ProjectTable } from '../../../db/tables.ts';
import type { CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError, conflict, forbidden, notAllowedNow } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { recordAudit } from '../../access/port.ts';
import type { Deployments } from '../../deployments/port.ts';
import { isBeingPromoted, moveCloudState, visibleProject } from '../../projects/port.ts';
import { cloudRefusal } from '../cloud-error.ts';
import { deleteLastSeenOfProject } from '../deployments/store.ts';
import type { CloudLinks } from '../link/service.ts';
import { inAnotherCloudError, isRecentPromotion, pointsToCloudOf } from './begin-promotion.ts';

type Deps = { db: Db; client: CloudClient; links: CloudLinks; deployments: Deployments };
/** Volumes in the cloud are kept unless requested otherwise. */
type Removal = { abandon?: boolean; volumes?: boolean };

const notThere = () => notAllowedNow('this project does not run in the cloud');

/** Moves projects back. The release in the cloud keeps serving until it is removed, to avoid downtime. */
export class BringHome {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Marks the project as local and starts a deployment, if requested. */
  async bring(caller: Caller, id: string, { deploy }: { deploy: boolean }): Promise<DeploymentTable | undefined> {
    const { db, deployments } = this.#deps;
    const project = await visibleProject(db, caller, id, 'write');
    if (deploy && !hasPermission(caller, 'deployment:write'))
      throw forbidden('this needs the permission deployment:write, unless deploy is false');
    if (!(await this.#move(caller, project, ['there', 'home'], 'project.brought_home'))) throw notThere();
    if (!deploy) return undefined;
    const wanted = { projectId: id, environment: 'production', autoStart: true, envVars: {}, port: null };
    try {
      return await deployments.fromAccess(caller, wanted);
    } catch (error) {
      // Unless the state was changed meanwhile.
      await this.#move(caller, project, ['home', 'there'], 'project.promoted');
      throw error;
    }
  }

  /** Removes the copy of a project in the cloud; with `abandon`, leaves it there. */
  async removeThere(caller: Caller, id: string, removal: Removal): Promise<void> {
    const { abandon } = removal;
    const { db } = this.#deps;
    const project = await visibleProject(db, caller, id, 'admin');
    if (project.cloudState === 'there') throw notAllowedNow('this project runs in the cloud; bring it home first');
    if (project.cloudState === null) throw notAllowedNow('this project has nothing in the cloud');
    if (isBeingPromoted(project)) throw conflict('this project is being promoted');
    // Without a link nothing could confirm the deletion.
    if (!abandon) await this.#deps.links.require(project.organizationId);
    await this.clear(caller, project, removal);
    await inTransaction(db, async (trx) => {
      const gone = { cloudState: null, cloudUrl: null, cloudAt: null };
      if (!(await moveCloudState(trx, project, 'home', gone))) return;
      await deleteLastSeenOfProject(trx, project.organizationId, id);
      if (abandon) await this.#noteLeft(trx, caller, project);
      else {
        const action = 'project.removed_from_cloud';
        await recordAudit(trx, project.organizationId, caller, { action, target: project });
      }
    });
  }

  /** Deletes the copy in the cloud; one that does not exist is fine. */
  async clear(caller: Caller, project: ProjectTable, { abandon, volumes = false }: Removal): Promise<void> {
    const { cloudState, cloudKey } = project;
    if (abandon || (cloudState === null && cloudKey === null)) return;
    const isLikely = cloudState !== null || isRecentPromotion(cloudKey!);
    try {
      await this.#remove(project, volumes);
    } catch (error) {
      // An old failed promotion may have left something there. That is audited, but blocks nothing.
      if (isLikely || !(error instanceof AppError)) throw error;
      await this.#noteLeft(this.#deps.db, caller, project);
    }
  }

  async #remove(project: ProjectTable, volumes: boolean): Promise<void> {
    const { client, links } = this.#deps;
    const address = await links.towards(project.organizationId, project.cloudAt);
    if (!address || !pointsToCloudOf(address, project)) throw inAnotherCloudError(project);
    const path = `/api/projects/${project.id}${volumes ? '?volumes=true' : ''}`;
    const answer = await client.json(address, { method: 'DELETE', path });
    if (answer.status >= 300 && answer.status !== 404) throw cloudRefusal(answer);
  }

  async #noteLeft(sql: Sql, caller: Caller, project: ProjectTable): Promise<void> {
    await recordAudit(sql, project.organizationId, caller, {
      action: 'project.left_in_cloud',
      target: project,
      details: { cloud: project.cloudAt },
    });
  }

  /** Returns false if it was in another state. */
  #move(
    caller: Caller,
    project: ProjectTable,
    [from, to]: ['there', 'home'] | ['home', 'there'],
    action: `project.${string}`,
  ): Promise<boolean> {
    return inTransaction(this.#deps.db, async (trx) => {
      if (!(await moveCloudState(trx, project, from, { cloudState: to }))) return false;
      await recordAudit(trx, project.organizationId, caller, { action, target: project });
      return true;
    });
  }
}
