import { type Db, inTransaction } from '../../../db/database.ts';
import type { DeploymentTable, ProjectTable } from '../../../db/tables.ts';
import type { CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { recordAudit } from '../../access/audit/service.ts';
import type { Deployments } from '../../deployments/service.ts';
import { markCloud } from '../../projects/projects/store.ts';
import { visibleProject } from '../../projects/projects/visible.ts';
import { refusalOf } from '../cloud-error.ts';
import { deleteKnownOf } from '../deployments/store.ts';
import type { CloudLinks } from '../link/service.ts';

type On = { db: Db; client: CloudClient; links: CloudLinks; deployments: Deployments };

const notNow = (sentence: string) => new AppError('not_allowed_now', sentence);

/** The way back. What runs in the cloud goes on serving until it is removed there, so that nobody is left without an answer. */
export class BringHome {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  /** The project lives here again; the deployment that begins here, if one is wanted. */
  async bring(caller: Caller, id: string, { deploy }: { deploy: boolean }): Promise<DeploymentTable | undefined> {
    const { db, deployments } = this.#on;
    const project = await visibleProject(db, caller, id, 'write');
    if (project.cloud_state !== 'there') throw notNow('this project does not live in the cloud');
    await this.#mark(caller, project, 'home', 'project.brought_home');
    if (!deploy) return undefined;
    const wanted = { projectId: id, environment: 'production', autoStart: true, envVars: {}, port: null };
    try {
      return await deployments.fromAccess(caller, wanted);
    } catch (error) {
      await this.#mark(caller, project, 'there', 'project.promoted');
      throw error;
    }
  }

  /** Removes what is left there of a project that lives here again. */
  async removeThere(caller: Caller, id: string): Promise<void> {
    const project = await visibleProject(this.#on.db, caller, id, 'admin');
    if (project.cloud_state === 'there') throw notNow('this project lives in the cloud; bring it home first');
    if (project.cloud_state === null) throw notNow('nothing of this project is in the cloud');
    // Nobody could say that it is gone.
    await this.#on.links.require(project.organization_id);
    await this.clear(project);
    await inTransaction(this.#on.db, async (trx) => {
      await markCloud(trx, project, { cloud_state: null, cloud_url: null });
      await deleteKnownOf(trx, project.organization_id, id);
      await recordAudit(trx, project.organization_id, caller, {
        action: 'project.removed_from_cloud',
        target: project,
      });
    });
  }

  /** What is there of it goes; one that is gone already is no trouble. */
  async clear({ id, organization_id, cloud_state, cloud_key }: ProjectTable, isAbandoned = false): Promise<void> {
    // With a key it may have arrived there without our knowing.
    const mayBeThere = cloud_state !== null || cloud_key !== null;
    const address = mayBeThere ? await this.#on.links.of(organization_id) : undefined;
    if (!address || isAbandoned) return;
    const answer = await this.#on.client.json(address, { method: 'DELETE', path: `/api/projects/${id}` });
    if (answer.status >= 300 && answer.status !== 404) throw refusalOf(answer);
  }

  async #mark(caller: Caller, project: ProjectTable, state: string, action: `project.${string}`): Promise<void> {
    await inTransaction(this.#on.db, async (trx) => {
      await markCloud(trx, project, { cloud_state: state });
      await recordAudit(trx, project.organization_id, caller, { action, target: project });
    });
  }
}
