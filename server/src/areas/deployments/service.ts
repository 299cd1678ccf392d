import { setTimeout as sleep } from 'node:timers/promises';
import type { OrganizationLimits } from '../../config.ts';
import { type Db, inTransaction, type Sql, type Trx } from '../../db/database.ts';
import { AppError, badRequest, forbidden } from '../../errors.ts';
import type { EventLog } from '../../events/event-log.ts';
import { type Caller, may } from '../../http/caller.ts';
import { NotHereError } from '../../http/elsewhere.ts';
import type { Action } from '../../http/permission.ts';
import { redactor } from '../../lib/redact.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { ServiceEntry } from '../../compose/index.ts';
import { type AuditActor, recordAudit } from '../access/audit/service.ts';
import type { ProjectSettings } from '../projects/projects/settings.ts';
import { fitTogether } from '../projects/variables/schemas.ts';
import type { CloudPort } from './cloud-port.ts';
import { type Asked, askedOf, cancelQueued, configOf, createDeployment, type NewDeployment } from './create.ts';
import { type DeploymentConfig, type DeploymentSource, isFinished, isFromGit, type Prompt } from './model.ts';
import { requireNotUndoing } from './originals/store.ts';
import { type DeployableProject, type ProjectsPort, sourceOf } from './projects-port.ts';
import { configPlace } from './model.ts';
import { keepServices, rejectServices } from './stack/decide.ts';
import { stackOf } from './stack/run-stack.ts';
import { presentDeployment } from './schemas.ts';
import { requireServices } from './stack/checks-request.ts';
import {
  type DeploymentRow,
  requestCancel,
  selectActive,
  selectDeployment,
  selectDeployments,
  updateDeployment,
  updateIn,
} from './store.ts';
import { selectPending } from './stack/store.ts';
import { type AskedTarget, requireSameMachine, targetOf } from './targets.ts';

export type FromGit = {
  projectId: string;
  branch?: string | undefined;
  commitSha?: string | undefined;
  environment: string;
  autoStart: boolean;
};
export type FromAccess = FromGit &
  AskedTarget & {
    uploadSessionId?: string | undefined;
    buildStrategy?: 'server' | 'local' | undefined;
    envVars: Record<string, string>;
    /** Where it listens inside of its container. */
    port: number | null;
    services?: ServiceEntry[] | undefined;
    publicEndpoints?: ProjectSettings['publicEndpoints'] | undefined;
  };
type Also = (trx: Trx, row: DeploymentRow) => Promise<unknown>;
export type Commit = { branch: string; sha: string; message: string | null };
export type ListOptions = {
  projectId?: string | undefined;
  status?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

type On = {
  db: Db;
  events: EventLog;
  sealer: Sealer;
  projects: ProjectsPort;
  mayRun: boolean;
  mode: 'self-hosted' | 'cloud';
  limits?: OrganizationLimits | undefined;
  hasContainers: boolean;
  /** This replica, if what it runs is out of reach for others; else null. */
  machine: string | null;
  /** This replica. */
  owner: string;
  /** Where deployments may live as well. */
  cloud: () => CloudPort;
  look(): void;
  wake(id: string): void;
};

const notNow = (sentence: string) => new AppError('not_allowed_now', sentence);

/** A part of a domain name has so many characters; the address of an environment is one, with two dashes in it. */
const longestLabel = 63;

/** What could never come up is refused before it is written down. */
function requireRunnable({ environment, config: { slug, variables } }: NewDeployment): void {
  if (environment !== 'production' && `${slug}--${environment}`.length > longestLabel)
    throw badRequest(`environment must be shorter: ${slug} and it make one part of a domain name`, 'environment');
  if (!fitTogether(variables))
    throw badRequest('envVars must have at most 1 MB together with the variables of the project', 'envVars');
}

/** What lives in the cloud is deployed there. */
function requireHome({ isInCloud }: DeployableProject): void {
  if (isInCloud) throw notNow('this project lives in the cloud; bring it home before it is deployed here');
}

/** What came out half holds the project: nobody builds on it before somebody has decided. */
async function requireDecided(
  sql: Sql,
  { organizationId, projectId, environment }: { organizationId: string; projectId: string; environment: string },
): Promise<void> {
  const pending = await selectPending(sql, organizationId, projectId, environment);
  if (pending)
    throw new AppError('decision_pending', `deployment ${pending.id} waits for a decision; keep or reject it first`);
}

/** Services of images alone need no files, whatever the project has been deployed from before. */
const bare: DeploymentSource = { type: 'services' };

const rejectMs = 25_000;

/** The rules of deployments: who may ask for what, in which state. What is asked for is done by a worker. */
export class Deployments {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  async list(caller: Caller, options: ListOptions) {
    const { db, projects } = this.#on;
    const projectIds = projects.visible(caller, 'list');
    const rows = await selectDeployments(db, caller.organization.id, {
      ...options,
      projectIds,
      limit: options.limit + 1,
    });
    const filter = { ...options, projectIds, limit: options.limit + 1 };
    const there = await this.#on.cloud().list(caller.organization.id, filter);
    // Ids sort by the time when they were made, here and there.
    const all = [...rows.map(presentDeployment), ...there].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const page = all.slice(0, options.limit);
    return { page, nextCursor: all.length > options.limit ? page.at(-1)!.id : null };
  }

  /** A foreign or deleted id, and one of a project that the caller does not see, are the same 404. */
  async get(caller: Caller, id: string, action: Action = 'read'): Promise<DeploymentRow> {
    const row = await selectDeployment(this.#on.db, caller.organization.id, id);
    const { projects } = this.#on;
    if (!row || !projects.sees(caller, row.project_id)) throw new NotHereError('deployment');
    if (!may(caller, `deployment:${action}`)) throw forbidden(`this needs the permission deployment:${action}`);
    if (!projects.mayOn(caller, row.project_id, action))
      throw forbidden(`you were not granted ${action} on this project`);
    return row;
  }

  async fromGit(caller: Caller, wanted: FromGit): Promise<DeploymentRow> {
    const project = await this.#on.projects.find(caller, wanted.projectId, 'write');
    const source = sourceOf(project, wanted.branch, wanted.commitSha);
    if (!source || !isFromGit(source)) throw badRequest('this project has no git source', 'projectId');
    return this.#enqueue(caller, async (trx) => {
      const variables = await this.#on.projects.variables(trx, project.id);
      return {
        project,
        environment: wanted.environment,
        trigger: 'api',
        source,
        config: configOf(project, variables, await this.#servicesOfNow(trx, project, wanted.environment)),
        held: !wanted.autoStart,
        machine: await this.#machineOf(trx, project, wanted.environment, { source }),
        serverId: project.serverId,
      };
    });
  }

  /** `also` happens in the same transaction: both or neither. */
  async fromAccess(caller: Caller, wanted: FromAccess, also?: Also): Promise<DeploymentRow> {
    const project = await this.#on.projects.find(caller, wanted.projectId, 'write');
    return this.#enqueue(caller, (trx) => this.#wantedOf(trx, caller, project, wanted), also);
  }

  /** What `fromAccess` would begin with, without doing it. */
  async wouldBe(caller: Caller, wanted: FromAccess): Promise<NewDeployment> {
    const project = await this.#on.projects.find(caller, wanted.projectId, 'write');
    const { promise, resolve } = Promise.withResolvers<NewDeployment>();
    // Nothing stays of it: an upload that is only looked at is not used up.
    const takenBack = new Error('taken back');
    await inTransaction(this.#on.db, async (trx) => {
      const would = await this.#wantedOf(trx, caller, project, wanted);
      requireHome(would.project);
      this.#requireRuntime(would.serverId);
      requireRunnable(would);
      resolve(would);
      throw takenBack;
    }).catch((error: unknown) => {
      if (error !== takenBack) throw error;
    });
    return promise;
  }

  async #wantedOf(trx: Trx, caller: Caller, project: DeployableProject, wanted: FromAccess): Promise<NewDeployment> {
    const { projects } = this.#on;
    const { uploadSessionId, environment } = wanted;
    const upload = uploadSessionId ? await projects.claimUpload(trx, caller, uploadSessionId, project.id) : undefined;
    if (upload && (wanted.deployTarget ?? upload.mode) === 'cloud')
      await this.#on.cloud().refuseUpload(trx, project.organizationId);
    const source: DeploymentSource | undefined = uploadSessionId
      ? { type: 'upload', uploadId: uploadSessionId }
      : (sourceOf(project, wanted.branch, wanted.commitSha) ?? (wanted.services?.length ? bare : undefined));
    if (!source)
      throw badRequest('uploadSessionId is required, because this project has no git source', 'uploadSessionId');
    const serverId = await targetOf(trx, projects, caller, { project, environment, asked: wanted, upload });
    if (serverId !== null && wanted.buildStrategy === 'local' && !this.#on.hasContainers)
      throw badRequest('buildStrategy local needs a container engine on the machine of the service', 'buildStrategy');
    const asked = await this.#askedServices(trx, project, wanted, { source, serverId });
    const config = configOf(project, await projects.variables(trx, project.id), asked);
    const trigger = source.type === 'upload' ? 'upload' : 'api';
    const machine = upload ? upload.machine : await this.#machineOf(trx, project, environment, { source, serverId });
    const isNaming = wanted.publicEndpoints !== undefined;
    return { project, environment, trigger, source, config, held: !wanted.autoStart, machine, serverId, isNaming };
  }

  /** One commit of the branch that the project follows, in the transaction of whoever found it. Call `look` after it. */
  async fromPush(trx: Trx, actor: AuditActor, project: DeployableProject, commit: Commit): Promise<DeploymentRow> {
    this.#requireRuntime(project.serverId);
    requireHome(project);
    const environment = 'production';
    const asked = await this.#servicesOfNow(trx, project, environment);
    const config = configOf(project, await this.#on.projects.variables(trx, project.id), asked);
    const secrets = config.variables.filter(({ secret }) => secret).map(({ value }) => value);
    const message = commit.message === null ? null : redactor(secrets)(commit.message);
    await this.#on.projects.prepareRelease(trx, project, {
      environment,
      endpoints: config.publicEndpoints ?? [],
      actor,
      asked: 'again',
      serverId: project.serverId,
    });
    await this.#on.cloud().requireHere(trx, project.organizationId, project.id);
    await requireNotUndoing(trx, { organization_id: project.organizationId, project_id: project.id });
    const source = sourceOf(project, commit.branch, commit.sha)!;
    return createDeployment(trx, this.#on.sealer, actor, {
      isHosted: this.#on.mode === 'cloud',
      project,
      environment,
      trigger: 'push',
      source,
      config,
      machine: await this.#machineOf(trx, project, environment, { source }),
      serverId: project.serverId,
      commit: { sha: commit.sha, message },
    });
  }

  /** There may be something to begin. */
  look(): void {
    this.#on.look();
  }

  /** By default the latest commit of the branch with today's settings; or exactly what was deployed then. */
  async redeploy(caller: Caller, id: string, useExistingCommit: boolean): Promise<DeploymentRow> {
    const before = await this.get(caller, id, 'write');
    const project = await this.#on.projects.find(caller, before.project_id, 'write');
    const source = JSON.parse(before.source) as DeploymentSource;
    if (isFromGit(source)) source.commitSha = useExistingCommit ? before.commit_sha : null;
    const asked = askedOf(this.#configOf(before));
    return this.#enqueue(caller, async (trx) => {
      const config = configOf(project, await this.#on.projects.variables(trx, project.id), asked);
      const { environment } = before;
      const machine =
        source.type === 'upload' ? before.machine : await this.#machineOf(trx, project, environment, { source });
      return {
        project,
        environment,
        trigger: 'redeploy',
        source,
        config,
        redeployOf: before,
        machine,
        serverId: project.serverId,
      };
    });
  }

  /** Starts again what was built then, with the settings and variables of then. */
  async rollback(caller: Caller, id: string): Promise<DeploymentRow> {
    const before = await this.get(caller, id, 'admin');
    const { organization_id, project_id, environment } = before;
    await requireDecided(this.#on.db, { organizationId: organization_id, projectId: project_id, environment });
    if (before.active) throw notNow('this deployment is the active release already');
    if (before.status !== 'ready') throw notNow('only a deployment that was ready can be rolled back to');
    const project = await this.#on.projects.find(caller, before.project_id, 'write');
    const source = JSON.parse(before.source) as DeploymentSource;
    if (isFromGit(source)) source.commitSha = before.commit_sha;
    // Settings of then, at today's address, as today's user and with today's trust.
    const { slug, number: projectNumber, trusted } = project;
    const config = { ...this.#configOf(before), slug, projectNumber, trusted };
    const commit = { sha: before.commit_sha, message: before.commit_message };
    return this.#enqueue(caller, async () => {
      return {
        project,
        environment: before.environment,
        trigger: 'rollback',
        source,
        config,
        rollbackOf: before,
        commit,
        machine: isOnServerAlone(before) ? null : before.machine,
        serverId: before.server_id,
      };
    });
  }

  async begin(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    const begun = await this.#change(caller, row, 'deployment.started', async (trx) => {
      await requireNotUndoing(trx, row);
      return updateIn(trx, row.organization_id, id, ['queued'], { held: 0 });
    });
    if (!begun) throw notNow('only a queued deployment can be started');
    this.#on.look();
    return this.get(caller, id, 'write');
  }

  async cancel(caller: Caller, id: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'admin');
    if (row.status === 'partial_failure') throw notNow('this deployment waits for a decision; keep or reject it');
    if (!(await this.end(caller, row))) throw notNow('this deployment has finished already, or is being switched over');
    return this.get(caller, id, 'write');
  }

  /** Asks it to end, for whoever was found to be allowed to; false when it has finished or is switching over. */
  async end(caller: Caller, row: DeploymentRow): Promise<boolean> {
    const { id, organization_id: organizationId } = row;
    const asked = await this.#change(caller, row, 'deployment.cancelled', async (trx) => {
      if (await cancelQueued(trx, organizationId, id, { code: 'cancelled', message: 'cancelled' })) return true;
      return requestCancel(trx, organizationId, id);
    });
    if (!asked) return false;
    this.#on.wake(id);
    this.#on.events.tell(id);
    return true;
  }

  async pin(caller: Caller, id: string, pinned: boolean): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    await this.#change(caller, row, pinned ? 'deployment.pinned' : 'deployment.unpinned', async (trx) => {
      await updateDeployment(trx, row.organization_id, id, { pinned: pinned ? 1 : 0 });
      return true;
    });
    return { ...row, pinned: pinned ? 1 : 0 };
  }

  /** What a deployment that came out half comes to. A reject is waited for, for a while: it takes as long as the services
   * need to come back. */
  async decide(caller: Caller, id: string, decision: 'keep' | 'reject'): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    if (!(await this.endPending(caller, row, decision))) throw notNow('this deployment does not wait for a decision');
    for (const end = Date.now() + rejectMs; Date.now() < end; await sleep(100)) {
      const now = await this.get(caller, id, 'write');
      if (isFinished(now.status)) return now;
    }
    return this.get(caller, id, 'write');
  }

  /** The same for whoever was found to be allowed to; false when nothing waits. */
  async endPending(caller: Caller, row: DeploymentRow, decision: 'keep' | 'reject'): Promise<boolean> {
    const action = decision === 'keep' ? 'deployment.kept' : 'deployment.rejected';
    const decided = await this.#change(caller, row, action, (trx) =>
      decision === 'keep' ? keepServices(trx, this.#on.sealer, row, this.#on.limits) : rejectServices(trx, row),
    );
    if (!decided) return false;
    this.#on.events.tell(row.id);
    this.#on.look();
    return true;
  }

  async respond(caller: Caller, id: string, promptId: string | undefined, response: string): Promise<DeploymentRow> {
    const row = await this.get(caller, id, 'write');
    const prompt = row.prompt ? (JSON.parse(row.prompt) as Prompt) : undefined;
    if (!prompt || isFinished(row.status) || (promptId && promptId !== prompt.id))
      throw notNow('there is no open question to answer');
    if (!prompt.options.includes(response))
      throw badRequest(`response must be one of ${prompt.options.join(', ')}`, 'response');
    await this.#change(caller, row, 'deployment.answered', (trx) =>
      updateIn(trx, row.organization_id, id, ['building', 'deploying'], { prompt_answer: response }),
    );
    this.#on.wake(id);
    return this.get(caller, id, 'write');
  }

  /** Hides the secrets that the deployment runs with, in what its app wrote. */
  hiderOf(row: DeploymentRow): (line: string) => string {
    const own = this.#configOf(row).variables.filter(({ secret }) => secret);
    return redactor([...own.map(({ value }) => value), ...(stackOf(this.#on.sealer, row)?.secrets ?? [])]);
  }

  #configOf({ id, config }: DeploymentRow): DeploymentConfig {
    return JSON.parse(this.#on.sealer.open(config, configPlace(id))) as DeploymentConfig;
  }

  /** With the services that it is made of: those of the request, or of a deployment before where there is nothing else. */
  async #askedServices(
    trx: Trx,
    project: DeployableProject,
    wanted: FromAccess,
    { source, serverId }: { source: DeploymentSource; serverId: string | null },
  ) {
    const { envVars, port, publicEndpoints, environment } = wanted;
    const isBare = source.type === 'services';
    const given = wanted.services?.length ? wanted.services : undefined;
    const services = given ?? (isBare ? await this.#servicesBefore(trx, project, environment) : undefined);
    if (isBare && !services && project.document === null)
      throw badRequest('services is required, because this project has no source of its own', 'services');
    const { mode } = this.#on;
    const { slug, trusted } = project;
    const hasContainers = serverId !== null || this.#on.hasContainers;
    if (services)
      requireServices(services, { slug, trusted, mode, hasContainers, hasSource: !isBare, publicEndpoints });
    return {
      envVars,
      port,
      ...(services && { services }),
      ...(publicEndpoints && { publicEndpoints }),
      ...(serverId !== null && wanted.buildStrategy === 'local' && { buildStrategy: 'local' as const }),
    };
  }

  /** A newer commit of what was deployed as several services by a request is deployed as those again. */
  async #servicesOfNow(trx: Trx, project: DeployableProject, environment: string): Promise<Asked> {
    const active = await selectActive(trx, project.organizationId, project.id, environment);
    const { services, publicEndpoints } = active ? askedOf(this.#configOf(active)) : {};
    return { envVars: {}, port: null, ...(services && { services, ...(publicEndpoints && { publicEndpoints }) }) };
  }

  /** Of the release that serves, else of the newest deployment that had any. */
  async #servicesBefore(trx: Trx, project: DeployableProject, environment: string) {
    const { organizationId, id: projectId } = project;
    const active = await selectActive(trx, organizationId, projectId, environment);
    const newest = await selectDeployments(trx, organizationId, { projectIds: 'all', projectId, limit: 20 });
    const before = [...(active ? [active] : []), ...newest.filter((row) => row.environment === environment)];
    return before.map((row) => this.#configOf(row).services).find((services) => services?.length);
  }

  /** Where the project runs already, if only that replica can reach it. What goes to a server is for any of them,
   * unless its source is on this machine. */
  async #machineOf(
    trx: Trx,
    project: DeployableProject,
    environment: string,
    { source, serverId = project.serverId }: { source: DeploymentSource; serverId?: string | null },
  ): Promise<string | null> {
    if (!this.#on.machine) return null;
    if (serverId !== null && source.type !== 'local') return null;
    const active = await selectActive(trx, project.organizationId, project.id, environment);
    return active?.machine ?? this.#on.machine;
  }

  /** It was made by this replica, or by one that shares everything with it. */
  isHere = ({ machine }: DeploymentRow): boolean => machine === null || machine === this.#on.owner;

  /** What runs of it can be reached from here. */
  isReached = (row: DeploymentRow): boolean => row.server_id !== null || this.isHere(row);

  requireReached(row: DeploymentRow): void {
    if (!this.isReached(row))
      throw new AppError('unavailable', 'this deployment runs on another replica; ask that one');
  }

  async #enqueue(caller: Caller, make: (trx: Trx) => Promise<NewDeployment>, also?: Also): Promise<DeploymentRow> {
    const { db, sealer } = this.#on;
    const row = await inTransaction(db, async (trx) => {
      const wanted = await make(trx);
      requireRunnable(wanted);
      requireHome(wanted.project);
      const { organizationId, id: projectId } = wanted.project;
      await requireDecided(trx, { organizationId, projectId, environment: wanted.environment });
      const { project, environment, config, trigger, serverId } = wanted;
      this.#requireRuntime(serverId);
      await requireSameMachine(trx, wanted, serverId);
      if (project.serverId !== serverId) await this.#on.projects.moveTo(trx, project, serverId);
      await this.#on.projects.prepareRelease(trx, project, {
        environment,
        endpoints: config.publicEndpoints ?? [],
        actor: caller,
        asked: trigger === 'redeploy' || trigger === 'rollback' ? 'again' : wanted.isNaming ? 'request' : 'settings',
        serverId,
      });
      await this.#on.cloud().requireHere(trx, organizationId, projectId);
      await requireNotUndoing(trx, { organization_id: organizationId, project_id: projectId });
      const made = await createDeployment(trx, sealer, caller, { ...wanted, isHosted: this.#on.mode === 'cloud' });
      await also?.(trx, made);
      return made;
    });
    this.#on.look();
    return row;
  }

  #requireRuntime(serverId: string | null): void {
    if (serverId === null && !this.#on.mayRun)
      throw new AppError('unavailable', 'this cloud has no container runtime to deploy on');
  }

  /** A change by a person, with its audit entry, if the state allows it. */
  #change(
    caller: Caller,
    row: DeploymentRow,
    action: `deployment.${string}`,
    change: (trx: Trx) => Promise<boolean>,
  ): Promise<boolean> {
    return inTransaction(this.#on.db, async (trx) => {
      if (!(await change(trx))) return false;
      await recordAudit(trx, row.organization_id, caller, { action, target: { id: row.id, name: row.id } });
      return true;
    });
  }
}

/** The server has all that it needs to run again: an image, and no files of a source. */
const isOnServerAlone = ({ server_id, stack, image, artifact_kept }: DeploymentRow): boolean =>
  server_id !== null && stack === null && image !== null && artifact_kept === 1;
