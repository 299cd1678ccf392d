import { appIn, configIn, sourceIn } from '../model/stored.ts';
import { isAppRow } from '../model/stack.ts';
import type { Trx } from '../../../db/database.ts';
import { AppError, badRequest, conflict } from '../../../errors.ts';
import type { ServiceEntry } from '../../../compose/index.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { redactor } from '../../../lib/redact.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { ProjectSettings } from '../../projects/port.ts';
import { buildReasons, changesSite } from '../engine/apply.ts';
import type { CloudPort } from './cloud-port.ts';
import { type RequestedConfig, requestedConfigOf, newDeploymentConfig, type NewDeployment } from './create.ts';
import { type DeploymentConfig, type DeploymentSource, isFromGit } from '../model/model.ts';
import { type DeployableProject, type ProjectsPort, fetchableSource } from '../model/projects-port.ts';
import { requireServices } from '../stack/checks/request.ts';
import { selectSteps } from '../model/step-store.ts';
import { isSiteRecipe } from '../model/recipe.ts';
import { type DeploymentRow, selectActive, selectDeployments } from '../model/store.ts';
import { type AskedTarget, serverOfDeployment } from './targets.ts';

export type GitDeploymentRequest = {
  projectId: string;
  branch?: string | undefined;
  commitSha?: string | undefined;
  environment: string;
  autoStart: boolean;
};
export type AccessDeploymentRequest = GitDeploymentRequest &
  AskedTarget & {
    uploadSessionId?: string | undefined;
    buildStrategy?: 'server' | 'local' | undefined;
    envVars: Record<string, string>;
    /** The port it listens on inside its container. */
    port: number | null;
    services?: ServiceEntry[] | undefined;
    /** Without services of its own, reuses those that a request defined for the active release. */
    keepsServices?: boolean | undefined;
    publicEndpoints?: ProjectSettings['publicEndpoints'] | undefined;
  };
export type Commit = { branch: string; sha: string; message: string | null };

type Deps = {
  sealer: Sealer;
  projects: ProjectsPort;
  mode: 'self-hosted' | 'cloud';
  hasContainers: boolean;
  /** This replica, if others cannot reach what it runs; otherwise null. */
  machine: string | null;
  cloud: () => CloudPort;
};

/** Services that are all images need no files, whatever source the project has. */
const bare: DeploymentSource = { type: 'services' };

/** Turns requests into new deployments: their source, settings, variables and machine. */
export class NewDeployments {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async fromGit(trx: Trx, project: DeployableProject, wanted: GitDeploymentRequest): Promise<NewDeployment> {
    const source = fetchableSource(project, wanted.branch, wanted.commitSha);
    if (!source || !isFromGit(source)) throw badRequest('this project has no git source', 'projectId');
    const { environment } = wanted;
    const config = await this.#configOfNow(trx, project, await this.#servicesOfNow(trx, project, environment));
    const machine = await this.#machineOf(trx, project, environment, { source });
    const { serverId } = project;
    return { project, environment, trigger: 'api', source, config, held: !wanted.autoStart, machine, serverId };
  }

  /** From an upload, a source or services of a request. */
  async fromAccess(
    trx: Trx,
    caller: Caller,
    project: DeployableProject,
    wanted: AccessDeploymentRequest,
  ): Promise<NewDeployment> {
    const { projects } = this.#deps;
    const { uploadSessionId, environment } = wanted;
    const upload = uploadSessionId ? await projects.claimUpload(trx, caller, uploadSessionId, project.id) : undefined;
    if (upload && (wanted.deployTarget ?? upload.mode) === 'cloud')
      await this.#deps.cloud().refuseUpload(trx, project.organizationId);
    const source: DeploymentSource | undefined = upload
      ? { type: 'upload', uploadId: uploadSessionId!, ...(upload.isShared && { isShared: true }) }
      : (fetchableSource(project, wanted.branch, wanted.commitSha) ?? (wanted.services?.length ? bare : undefined));
    if (!source)
      throw badRequest('uploadSessionId is required, because this project has no git source', 'uploadSessionId');
    const serverId = await serverOfDeployment(trx, projects, caller, { project, environment, asked: wanted, upload });
    if (serverId !== null && wanted.buildStrategy === 'local' && !this.#deps.hasContainers)
      throw badRequest('buildStrategy local needs Docker on the machine that Mooring runs on', 'buildStrategy');
    const asked = wanted.keepsServices
      ? await this.#servicesOfNow(trx, project, environment)
      : await this.#askedServices(trx, project, wanted, { source, serverId });
    const config = newDeploymentConfig(project, await projects.variables(trx, project.id), asked);
    const trigger = source.type === 'upload' ? 'upload' : 'api';
    const uploadedTo = upload?.machine;
    const machine = await this.#machineOf(trx, project, environment, { source, serverId, uploadedTo });
    const isNaming = wanted.publicEndpoints !== undefined;
    const mayAddDomains = hasPermission(caller, 'project:write') && projects.mayOn(caller, project.id, 'write');
    const naming = { isNaming, mayAddDomains };
    return { project, environment, trigger, source, config, held: !wanted.autoStart, machine, serverId, ...naming };
  }

  /** From a commit of the branch that the project follows. */
  async fromPush(trx: Trx, project: DeployableProject, { branch, sha, message }: Commit): Promise<NewDeployment> {
    const environment = 'production';
    const source = fetchableSource(project, branch, sha)!;
    const config = await this.#configOfNow(trx, project, await this.#servicesOfNow(trx, project, environment));
    const redact = redactor(config.variables.filter(({ secret }) => secret).map(({ value }) => value));
    const commit = { sha, message: message === null ? null : redact(message) };
    const machine = await this.#machineOf(trx, project, environment, { source });
    return { project, environment, trigger: 'push', source, config, machine, serverId: project.serverId, commit };
  }

  /** Repeats a deployment with today's settings: the latest commit of the branch, or the same commit. */
  async again(
    trx: Trx,
    project: DeployableProject,
    before: DeploymentRow,
    useExistingCommit: boolean,
  ): Promise<NewDeployment> {
    const source = sourceIn(before);
    if (isFromGit(source)) source.commitSha = useExistingCommit ? before.commitSha : null;
    const config = await this.#configOfNow(trx, project, requestedConfigOf(configIn(this.#deps.sealer, before)));
    const { environment } = before;
    const machine = await this.#machineOf(trx, project, environment, { source, uploadedTo: before.machine });
    const { serverId } = project;
    return { project, environment, trigger: 'redeploy', source, config, redeployOf: before, machine, serverId };
  }

  /**
   * Applies the current settings and variables to the active release's artifact. If some of them need a build, the
   * same commit is built and the reasons are returned. A stack is read from its source again and keeps its images
   * where possible.
   */
  async applied(
    trx: Trx,
    project: DeployableProject,
    before: DeploymentRow,
  ): Promise<{ made: NewDeployment; reasons: string[] }> {
    const again = await this.again(trx, project, before, true);
    if (!isAppRow(before)) return { made: { ...again, config: { ...again.config, reuseImages: true } }, reasons: [] };
    const { recipe, built } = appIn(await selectSteps(trx, before.id))!;
    const comparison = { before: configIn(this.#deps.sealer, before), after: again.config, recipe, built };
    const reasons = buildReasons(comparison);
    if (reasons.length) return { made: again, reasons };
    if (isSiteRecipe(recipe) && !changesSite(comparison))
      throw new AppError(
        'nothing_to_apply',
        'this is a static site: only its build uses variables; redeploy it to build it again',
      );
    const { commitSha: sha, commitMessage: message, serverId } = before;
    const machine = isOnServerAlone(before) ? null : before.machine;
    return { made: { ...again, reuses: before, commit: { sha, message }, machine, serverId }, reasons };
  }

  /** Returns to an earlier deployment's artifact and settings, with today's slug, user and trust. */
  backTo(project: DeployableProject, before: DeploymentRow): NewDeployment {
    const source = sourceIn(before);
    if (isFromGit(source)) source.commitSha = before.commitSha;
    const { slug, trusted } = project;
    return {
      project,
      environment: before.environment,
      trigger: 'rollback',
      source,
      config: { ...configIn(this.#deps.sealer, before), slug, trusted },
      rollbackOf: before,
      commit: { sha: before.commitSha, message: before.commitMessage },
      machine: isOnServerAlone(before) ? null : before.machine,
      serverId: before.serverId,
    };
  }

  #configOfNow = async (trx: Trx, project: DeployableProject, asked: RequestedConfig): Promise<DeploymentConfig> =>
    newDeploymentConfig(project, await this.#deps.projects.variables(trx, project.id), asked);

  /** Uses the services of the request, or else those of an earlier deployment if the project has no source. */
  async #askedServices(
    trx: Trx,
    project: DeployableProject,
    wanted: AccessDeploymentRequest,
    { source, serverId }: { source: DeploymentSource; serverId: string | null },
  ) {
    const { envVars, port, publicEndpoints, environment } = wanted;
    const isBare = source.type === 'services';
    const given = wanted.services?.length ? wanted.services : undefined;
    const services = given ?? (isBare ? await this.#servicesBefore(trx, project, environment) : undefined);
    if (isBare && !services && project.document === null)
      throw badRequest('services is required, because this project has no source of its own', 'services');
    if (isBare && !services) await this.#requireAdoptedActive(trx, project, environment);
    const { mode } = this.#deps;
    const { slug, trusted } = project;
    const hasContainers = serverId !== null || this.#deps.hasContainers;
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

  /** Rejects putting the services as they were adopted in place of a compose file that was deployed since. */
  async #requireAdoptedActive(trx: Trx, project: DeployableProject, environment: string): Promise<void> {
    const active = await selectActive(trx, project.organizationId, project.id, environment);
    if (active && sourceIn(active).type !== 'services')
      throw conflict(
        `this would replace the active release by the services as they were adopted. To deploy the active release again: mooring redeploy ${project.slug}`,
      );
  }

  /** A new commit keeps the services that a request defined for the active release. */
  async #servicesOfNow(trx: Trx, project: DeployableProject, environment: string): Promise<RequestedConfig> {
    const active = await selectActive(trx, project.organizationId, project.id, environment);
    const { services, publicEndpoints } = active ? requestedConfigOf(configIn(this.#deps.sealer, active)) : {};
    return { envVars: {}, port: null, ...(services && { services, ...(publicEndpoints && { publicEndpoints }) }) };
  }

  /** Returns the services of the active release, or of the newest deployment that had any. */
  async #servicesBefore(trx: Trx, project: DeployableProject, environment: string) {
    const { organizationId, id: projectId } = project;
    const active = await selectActive(trx, organizationId, projectId, environment);
    const newest = await selectDeployments(trx, organizationId, { projectIds: 'all', projectId, limit: 20 });
    const before = [...(active ? [active] : []), ...newest.filter((row) => row.environment === environment)];
    return before.map((row) => configIn(this.#deps.sealer, row).services).find((services) => services?.length);
  }

  /**
   * Returns the replica that must run it: the one where the project already runs, if others cannot reach it. A
   * deployment to a server may run on any replica, unless its source is on this machine. An upload names the replica
   * that received it, also if it is shared: a replica of an earlier version does not know that, and leaves it alone.
   */
  async #machineOf(
    trx: Trx,
    project: DeployableProject,
    environment: string,
    {
      source,
      serverId = project.serverId,
      uploadedTo,
    }: { source: DeploymentSource; serverId?: string | null; uploadedTo?: string | null | undefined },
  ): Promise<string | null> {
    if (source.type === 'upload' && (serverId !== null || !source.isShared)) return uploadedTo ?? null;
    if (!this.#deps.machine) return null;
    if (serverId !== null && source.type !== 'local') return null;
    const active = await selectActive(trx, project.organizationId, project.id, environment);
    return active?.machine ?? this.#deps.machine;
  }
}

/** Whether the server alone has all that a restart needs: an image, and no files of a source. */
const isOnServerAlone = (row: DeploymentRow): boolean =>
  row.serverId !== null && isAppRow(row) && row.image !== null && row.artifactKept === 1;
