import { type Db, inTransaction } from '../../../db/database.ts';
import type { DeploymentTable, ProjectTable } from '../../../db/tables.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { type Deployments, selectDeployments } from '../../deployments/port.ts';
import type { ProjectsArea } from '../../projects/area.ts';
import {
  lockExistingProject,
  isProjectIdTaken,
  markDeleting,
  selectProject,
  belongedToAnotherOrganization,
} from '../../projects/port.ts';
import type { HostedBody } from './schemas.ts';
import { deletePromotionsBefore, insertPromotion, selectPromotion } from './store.ts';

type Deps = { db: Db; projects: ProjectsArea; deployments: Deployments };
type Made = { project: ProjectTable; deployment: DeploymentTable };

const rememberedMs = 24 * 3_600_000;
/** Longer than a deletion takes. */
const removedWithinMs = 10 * 60_000;
/** A concurrent request with the same key was faster. */
class AnsweredError extends Error {}

/** The cloud's side of a promotion: stores the project under its original id and deploys it. */
export class HostedProjects {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async put(caller: Caller, id: string, body: HostedBody): Promise<Made> {
    if (!hasPermission(caller, 'deployment:write')) throw forbidden('this needs the permission deployment:write');
    const before = await this.#answered(caller, id, body.key);
    if (before) return before;
    const isNew = await this.#take(caller, id, body);
    try {
      await this.#equip(caller, id, body);
      return await this.#deploy(caller, id, body);
    } catch (error) {
      if (isNew) await this.#withdraw(caller, id);
      throw error;
    }
  }

  /** Deletes a new project that could not be deployed, unless a concurrent request has deployed it. */
  async #withdraw(caller: Caller, id: string): Promise<void> {
    const { db, projects } = this.#deps;
    const organizationId = caller.organization.id;
    const isUnused = await inTransaction(db, async (trx) => {
      if (!(await lockExistingProject(trx, organizationId, id))) return false;
      const [found] = await selectDeployments(trx, organizationId, { projectIds: 'all', projectId: id, limit: 1 });
      // From here on no deployment can start.
      if (!found) await markDeleting(trx, organizationId, id, Date.now());
      return !found;
    });
    if (isUnused) await projects.projects.delete(caller, id);
  }

  /** Returns the result of an earlier request with the same key. */
  async #answered(caller: Caller, id: string, key: string): Promise<Made | undefined> {
    const { db, deployments } = this.#deps;
    const done = await selectPromotion(db, caller.organization.id, key);
    if (!done) return undefined;
    if (done.projectId !== id) throw conflict('key: it belongs to the promotion of another project');
    return { project: await this.#project(caller, id), deployment: await deployments.get(caller, done.deploymentId) };
  }

  /** Returns true if the project is new. */
  async #take(caller: Caller, id: string, { project }: HostedBody): Promise<boolean> {
    const { db, projects } = this.#deps;
    const found = await selectProject(db, caller.organization.id, id);
    // Finish an interrupted deletion first: such a project could never deploy again.
    const isCutOff = (found?.deletingAt ?? Infinity) < Date.now() - removedWithinMs;
    if (isCutOff) await projects.projects.delete(caller, id);
    const existing = isCutOff ? undefined : found;
    if (!existing && (await this.#create(caller, id, project))) return true;
    // The slug is decided only when the project arrives.
    const { slug: _, ...change } = project;
    await projects.projects.update(caller, id, change);
    return false;
  }

  /** Returns false if a concurrent request created it. */
  async #create(caller: Caller, id: string, project: HostedBody['project']): Promise<boolean> {
    const { db, projects } = this.#deps;
    try {
      if (await isProjectIdTaken(db, id)) throw conflict('a project with this id already exists here');
      // Volumes and folders of a deleted project stay, keyed by its id.
      if (await belongedToAnotherOrganization(db, caller.organization.id, id))
        throw conflict('another organization had a project with this id here; create a new project and promote that');
      await projects.projects.createAs(caller, id, project);
      return true;
    } catch (error) {
      if (await selectProject(db, caller.organization.id, id)) return false;
      throw error;
    }
  }

  /** Replaces variables and deploy key. */
  async #equip(caller: Caller, id: string, { variables, deployKey }: HostedBody): Promise<void> {
    const { projects } = this.#deps;
    const before = await projects.variables.list(caller, id);
    const removed = before.filter(({ key }) => !Object.hasOwn(variables, key)).map(({ key }) => [key, null] as const);
    await projects.variables.change(caller, id, { ...variables, ...Object.fromEntries(removed) });
    await projects.deployKeys.take(caller, id, deployKey);
  }

  async #deploy(caller: Caller, id: string, { key, deployment: wanted }: HostedBody): Promise<Made> {
    const { db, deployments } = this.#deps;
    const organizationId = caller.organization.id;
    const port = wanted.publicEndpoints?.find((each) => each.port !== undefined)?.port ?? null;
    await deletePromotionsBefore(db, organizationId, Date.now() - rememberedMs);
    try {
      const deployment = await deployments.fromAccess(caller, { ...wanted, projectId: id, port }, async (trx, row) => {
        const promotion = { key, projectId: id, deploymentId: row.id, createdAt: Date.now() };
        if (!(await insertPromotion(trx, { organizationId, ...promotion }))) throw new AnsweredError();
      });
      return { project: await this.#project(caller, id), deployment };
    } catch (error) {
      if (!(error instanceof AnsweredError)) throw error;
      return (await this.#answered(caller, id, key))!;
    }
  }

  async #project(caller: Caller, id: string): Promise<ProjectTable> {
    const found = await selectProject(this.#deps.db, caller.organization.id, id);
    if (!found) throw notFound('project');
    return found;
  }
}
