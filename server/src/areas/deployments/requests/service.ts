import { configIn, promptIn, stepResultsIn } from '../model/stored.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrganizationLimits } from '../../../config.ts';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { AppError, badRequest, forbidden, notAllowedNow } from '../../../errors.ts';
import type { EventLog } from '../../../events/event-log.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { NotLocalError } from '../../../http/forwarding.ts';
import type { Action } from '../../../http/permission.ts';
import { redactor } from '../../../lib/redact.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type AuditActor, recordAudit } from '../../access/port.ts';
import type { CloudPort } from './cloud-port.ts';
import { requireOperator } from './confinement.ts';
import { cancelQueued, createDeployment, type NewDeployment } from './create.ts';
import { isFinished } from '../model/model.ts';
import {
  type Commit,
  type AccessDeploymentRequest,
  type GitDeploymentRequest,
  NewDeployments,
} from './new-deployments.ts';
import { requireNotUndoing } from '../model/originals-store.ts';
import type { DeployableProject, ProjectsPort } from '../model/projects-port.ts';
import { requireDecided, requireNotInCloud, requireRunnable } from './rules.ts';
import { presentDeployment } from './schemas.ts';
import { keepServices, rejectServices } from '../rollout/decide.ts';
import { stackOf } from '../model/run-stack.ts';
import {
  type DeploymentRow,
  type DeploymentListFilter,
  hasRollbackTo,
  isUnderWay,
  requestCancel,
  selectActive,
  selectDeployments,
  selectReleasedSince,
  selectShown,
  underWayStatuses,
  updateDeployment,
  updateIfStatus,
} from '../model/store.ts';
import { requireSameMachine } from './targets.ts';

type Also = (trx: Trx, row: DeploymentRow) => Promise<unknown>;
type ListOptions = Omit<DeploymentListFilter, 'projectIds'>;

type Deps = {
  db: Db;
  events: EventLog;
  sealer: Sealer;
  projects: ProjectsPort;
  mayRun: boolean;
  mode: 'self-hosted' | 'cloud';
  limits?: OrganizationLimits | undefined;
  hasContainers: boolean;
  /** Apps and builds on this machine run with the service's own rights. */
  isUnconfined: () => Promise<boolean>;
  /** This replica, if others cannot reach what it runs; otherwise null. */
  machine: string | null;
  /** Name of this replica. */
  owner: string;
  /** The hosted cloud that deployments may also live in. */
  cloud: () => CloudPort;
  look(): void;
  wake(id: string): void;
};

/** Waits this long for the outcome, so that the response usually shows it. */
const decidedMs = 1500;
const maxRedactors = 8;

/** Rules of deployments: who may request what in which state. Workers carry the requests out. */
export class Deployments {
  readonly #deps: Deps;
  readonly #new: NewDeployments;
  readonly #redactors = new Map<string, { stack: string | null; redact: (line: string) => string }>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#new = new NewDeployments(deps);
  }

  async list(caller: Caller, options: ListOptions) {
    const { db, projects } = this.#deps;
    const projectIds = projects.visible(caller, 'list');
    const filter = { ...options, projectIds, limit: options.limit + 1 };
    const rows = await selectDeployments(db, caller.organization.id, filter);
    const there = await this.#deps.cloud().list(caller.organization.id, filter);
    // Ids sort by creation time on both instances.
    const all = [...rows.map(presentDeployment), ...there].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const page = all.slice(0, options.limit);
    return { page, nextCursor: all.length > options.limit ? page.at(-1)!.id : null };
  }

  /** Foreign, deleted and invisible ids all return the same 404. */
  async get(caller: Caller, id: string, action: Action = 'read'): Promise<DeploymentRow> {
    const row = await selectShown(this.#deps.db, caller.organization.id, id);
    const { projects } = this.#deps;
    if (!row || !projects.sees(caller, row.projectId)) throw new NotLocalError('deployment');
    if (!hasPermission(caller, `deployment:${action}`))
      throw forbidden(`this needs the permission deployment:${action}`);
    if (!projects.mayOn(caller, row.projectId, action))
      throw forbidden(`you were not granted ${action} on this project`);
    return row;
  }

  /** Whether the cloud deploys it: the request asks for it, or the project lives there. */
  async isForCloud(
    caller: Caller,
    { projectId, deployTarget }: Pick<AccessDeploymentRequest, 'projectId' | 'deployTarget'>,
  ) {
    if (deployTarget === 'cloud') return true;
    return (await this.#deps.projects.find(caller, projectId, 'write')).isInCloud;
  }

  async fromGit(caller: Caller, wanted: GitDeploymentRequest): Promise<DeploymentRow> {
    const project = await this.#deps.projects.find(caller, wanted.projectId, 'write');
    return this.#enqueue(caller, (trx) => this.#new.fromGit(trx, project, wanted));
  }

  /** `also` runs in the same transaction. */
  async fromAccess(caller: Caller, wanted: AccessDeploymentRequest, also?: Also): Promise<DeploymentRow> {
    const project = await this.#deps.projects.find(caller, wanted.projectId, 'write');
    return this.#enqueue(caller, (trx) => this.#new.fromAccess(trx, caller, project, wanted), also);
  }

  /** Returns the deployment that `fromAccess` would create, without creating it. */
  async wouldBe(caller: Caller, wanted: AccessDeploymentRequest): Promise<NewDeployment> {
    if (wanted.deployTarget === 'cloud' && this.#deps.mode !== 'cloud')
      throw badRequest(
        'deployTarget cannot be cloud: plans are made for this instance and its servers',
        'deployTarget',
      );
    const project = await this.#deps.projects.find(caller, wanted.projectId, 'write');
    const { promise, resolve } = Promise.withResolvers<NewDeployment>();
    // The transaction is rolled back, so that a previewed upload is not used up.
    const takenBack = new Error('taken back');
    await inTransaction(this.#deps.db, async (trx) => {
      const would = await this.#new.fromAccess(trx, caller, project, wanted);
      requireNotInCloud(would.project);
      this.#requireRuntime(would.serverId);
      requireRunnable(would);
      resolve(would);
      throw takenBack;
    }).catch((error: unknown) => {
      if (error !== takenBack) throw error;
    });
    return promise;
  }

  /** Deploys a commit of the followed branch in the caller's transaction. Call `look` after the commit. */
  async fromPush(trx: Trx, actor: AuditActor, project: DeployableProject, commit: Commit): Promise<DeploymentRow> {
    this.#requireRuntime(project.serverId);
    await this.#requireConfined(trx, undefined, project.serverId);
    requireNotInCloud(project);
    const made = await this.#new.fromPush(trx, project, commit);
    await this.#prepare(trx, actor, made);
    return createDeployment(trx, this.#deps.sealer, actor, { ...made, isHosted: this.#deps.mode === 'cloud' });
  }

  /** Tells the dispatcher to look for work. */
  look(): void {
    this.#deps.look();
  }

  /** Redeploys the branch's latest commit with today's settings, or the same commit. */
  async redeploy(caller: Caller, id: string, useExistingCommit: boolean): Promise<DeploymentRow> {
    const before = await this.get(caller, id, 'write');
    const project = await this.#deps.projects.find(caller, before.projectId, 'write');
    return this.#enqueue(caller, (trx) => this.#new.again(trx, project, before, useExistingCommit));
  }

  /** Applies today's settings and variables to the active release, with a new build only if needed. */
  async apply(caller: Caller, id: string): Promise<{ row: DeploymentRow; buildReasons: string[] }> {
    const before = await this.get(caller, id, 'write');
    if (!before.active) throw notAllowedNow('only the active release can be redeployed without a build');
    const project = await this.#deps.projects.find(caller, before.projectId, 'write');
    let buildReasons: string[] = [];
    const row = await this.#enqueue(caller, async (trx) => {
      const { made, reasons } = await this.#new.applied(trx, project, before);
      buildReasons = reasons;
      return made;
    });
    return { row, buildReasons };
  }

  /** Starts an earlier artifact with its own settings and variables. */
  async rollback(caller: Caller, id: string): Promise<DeploymentRow> {
    const before = await this.get(caller, id, 'admin');
    const { organizationId, projectId, environment } = before;
    await requireDecided(this.#deps.db, { organizationId, projectId, environment });
    if (before.active) throw notAllowedNow('this deployment is already the active release');
    if (before.status !== 'ready') throw notAllowedNow('you can only roll back to a deployment that was ready');
    const project = await this.#deps.projects.find(caller, before.projectId, 'write');
    return this.#enqueue(caller, async () => this.#new.backTo(project, before));
  }

  /**
   * Builds the active release again because its artifact is gone, as after a restore on a new machine. Only once: if
   * the build fails, a person has to look. False if it is not needed or was tried before.
   */
  async rebuild(active: DeploymentRow): Promise<boolean> {
    const { db, sealer, projects, mode } = this.#deps;
    const { organizationId, projectId, environment, id } = active;
    const actor = { userId: 'upkeep', email: 'the machine itself', ip: 'local' };
    const isMade = await inTransaction(db, async (trx) => {
      const project = await projects.own(trx, organizationId, projectId);
      if (!project || (await isUnderWay(trx, projectId, environment, ['queued', ...underWayStatuses]))) return false;
      if ((await selectActive(trx, organizationId, projectId, environment))?.id !== id) return false;
      if (await hasRollbackTo(trx, organizationId, id)) return false;
      const made = this.#new.backTo(project, active);
      await this.#prepare(trx, actor, made);
      await createDeployment(trx, sealer, actor, { ...made, isHosted: mode === 'cloud' });
      return true;
    });
    if (isMade) this.#deps.look();
    return isMade;
  }

  /** Returns the release commands whose changes a rollback to this release would not undo. */
  async releaseCommandsSince(row: DeploymentRow): Promise<string[]> {
    if (row.status !== 'ready' || row.active) return [];
    const later = await selectReleasedSince(this.#deps.db, row);
    return [...new Set(later.flatMap((step) => stepResultsIn([step]).detect?.releaseCommand ?? []))];
  }

  async begin(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    const begun = await this.#change(caller, row, 'deployment.started', async (trx) => {
      await requireNotUndoing(trx, row);
      return updateIfStatus(trx, row.organizationId, id, ['queued'], { held: 0 });
    });
    if (!begun) throw notAllowedNow('only a queued deployment can be started');
    this.#deps.look();
    return this.get(caller, id, 'write');
  }

  async cancel(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'admin');
    if (row.status === 'partial_failure') throw notAllowedNow('this deployment needs a decision; keep or reject it');
    if (!(await this.end(caller, row)))
      throw notAllowedNow('this deployment has finished already, or is switching traffic');
    return this.get(caller, id, 'write');
  }

  /** Cancels it without a permission check; false if it has finished or is switching over. */
  async end(actor: AuditActor, row: DeploymentRow): Promise<boolean> {
    const { id, organizationId } = row;
    const asked = await this.#change(actor, row, 'deployment.cancelled', async (trx) => {
      if (await cancelQueued(trx, organizationId, id, { code: 'cancelled', message: 'cancelled' })) return true;
      return requestCancel(trx, organizationId, id);
    });
    if (!asked) return false;
    this.#deps.wake(id);
    this.#deps.events.tell(id);
    return true;
  }

  async pin(caller: Caller, id: string, pinned: boolean): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    await this.#change(caller, row, pinned ? 'deployment.pinned' : 'deployment.unpinned', async (trx) => {
      await updateDeployment(trx, row.organizationId, id, { pinned: pinned ? 1 : 0 });
      return true;
    });
    return { ...row, pinned: pinned ? 1 : 0 };
  }

  /**
   * Keeps or rejects a partial failure. A reject continues in the background, since services take time to roll back.
   */
  async decide(caller: Caller, id: string, decision: 'keep' | 'reject'): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    if (!(await this.endPending(caller, row, decision)))
      throw notAllowedNow('this deployment does not need a decision');
    for (const end = Date.now() + decidedMs; Date.now() < end; await sleep(100)) {
      const now = await this.get(caller, id, 'write');
      if (isFinished(now.status)) return now;
    }
    return this.get(caller, id, 'write');
  }

  /** Decides without a permission check; false if no decision is pending. */
  async endPending(actor: AuditActor, row: DeploymentRow, decision: 'keep' | 'reject'): Promise<boolean> {
    const action = decision === 'keep' ? 'deployment.kept' : 'deployment.rejected';
    const decided = await this.#change(actor, row, action, (trx) =>
      decision === 'keep' ? keepServices(trx, this.#deps.sealer, row, this.#deps.limits) : rejectServices(trx, row),
    );
    if (!decided) return false;
    this.#deps.events.tell(row.id);
    this.#deps.look();
    return true;
  }

  async respond(caller: Caller, id: string, promptId: string | undefined, response: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    const prompt = promptIn(row);
    if (!prompt || isFinished(row.status) || (promptId && promptId !== prompt.id))
      throw notAllowedNow('there is no open question to answer');
    if (!prompt.options.includes(response))
      throw badRequest(`response must be one of ${prompt.options.join(', ')}`, 'response');
    const isOpen = await this.#change(caller, row, 'deployment.answered', (trx) =>
      updateIfStatus(trx, row.organizationId, id, ['building', 'deploying'], { promptAnswer: response }),
    );
    if (!isOpen) throw notAllowedNow('there is no open question to answer');
    this.#deps.wake(id);
    return this.get(caller, id, 'write');
  }

  /** Redacts the deployment's secrets in its app's output. Clients that poll logs share one redactor. */
  redactorOf(row: DeploymentRow): (line: string) => string {
    const known = this.#redactors.get(row.id);
    if (known?.stack === row.stack) return known.redact;
    const own = configIn(this.#deps.sealer, row).variables.filter(({ secret }) => secret);
    const redact = redactor([...own.map(({ value }) => value), ...(stackOf(this.#deps.sealer, row)?.secrets ?? [])]);
    if (this.#redactors.size >= maxRedactors) this.#redactors.clear();
    this.#redactors.set(row.id, { stack: row.stack, redact });
    return redact;
  }

  /** Whether this replica, or one that shares everything with it, created the deployment. */
  isHere = ({ machine }: DeploymentRow): boolean => machine === null || machine === this.#deps.owner;

  /** Whether this replica can reach its containers. */
  isReached = (row: DeploymentRow): boolean => row.serverId !== null || this.isHere(row);

  requireReached(row: DeploymentRow): void {
    if (!this.isReached(row))
      throw new AppError('unavailable', 'this deployment runs on another replica; send the request there');
  }

  async #enqueue(caller: Caller, make: (trx: Trx) => Promise<NewDeployment>, also?: Also): Promise<DeploymentRow> {
    const { db, sealer } = this.#deps;
    const row = await inTransaction(db, async (trx) => {
      const wanted = await make(trx);
      requireRunnable(wanted);
      requireNotInCloud(wanted.project);
      const { organizationId, id: projectId } = wanted.project;
      await requireDecided(trx, { organizationId, projectId, environment: wanted.environment });
      const { project, serverId } = wanted;
      this.#requireRuntime(serverId);
      await this.#requireConfined(trx, caller, serverId);
      await requireSameMachine(trx, wanted, serverId);
      if (project.serverId !== serverId) await this.#deps.projects.moveTo(trx, project, serverId);
      await this.#prepare(trx, caller, wanted);
      const made = await createDeployment(trx, sealer, caller, { ...wanted, isHosted: this.#deps.mode === 'cloud' });
      await also?.(trx, made);
      return made;
    });
    this.#deps.look();
    return row;
  }

  /** Locks the project, claims its domains and checks for conflicting operations. */
  async #prepare(trx: Trx, actor: AuditActor, { project, ...wanted }: NewDeployment): Promise<void> {
    const { id, organizationId } = project;
    const isAgain = ['redeploy', 'rollback', 'push'].includes(wanted.trigger);
    await this.#deps.projects.prepareRelease(trx, project, {
      environment: wanted.environment,
      endpoints: wanted.config.publicEndpoints ?? [],
      actor,
      asked: isAgain ? 'again' : wanted.isNaming ? 'request' : 'settings',
      mayAddDomains: wanted.mayAddDomains ?? false,
      serverId: wanted.serverId,
    });
    await requireNotUndoing(trx, { organizationId, projectId: id });
  }

  async #requireConfined(trx: Trx, caller: Caller | undefined, serverId: string | null): Promise<void> {
    if (serverId === null && (await this.#deps.isUnconfined())) await requireOperator(trx, caller);
  }

  #requireRuntime(serverId: string | null): void {
    if (serverId === null && !this.#deps.mayRun)
      throw new AppError('unavailable', 'this cloud has no Docker to deploy to');
  }

  /** Applies a change with its audit entry, if the state allows it. */
  #change(
    actor: AuditActor,
    row: DeploymentRow,
    action: `deployment.${string}`,
    change: (trx: Trx) => Promise<boolean>,
  ): Promise<boolean> {
    return inTransaction(this.#deps.db, async (trx) => {
      if (!(await change(trx))) return false;
      await recordAudit(trx, row.organizationId, actor, { action, target: { id: row.id, name: row.id } });
      return true;
    });
  }
}
