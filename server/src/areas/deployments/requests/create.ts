import type { Trx } from '../../../db/database.ts';
import type { Trigger } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { AppError } from '../../../errors.ts';
import { appendEvents } from '../../../events/event-log.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { type AuditActor, recordAudit } from '../../access/port.ts';
import {
  configSealLocation,
  type DeploymentConfig,
  type DeploymentSource,
  isFromGit,
  type DeploymentVariable,
} from '../model/model.ts';
import { insertStatus } from './commit-status-store.ts';
import type { DeployableProject } from '../model/projects-port.ts';
import { type DeploymentRow, insertDeployment } from '../model/store.ts';

export type NewDeployment = {
  project: DeployableProject;
  environment: string;
  trigger: Trigger;
  source: DeploymentSource;
  config: DeploymentConfig;
  held?: boolean;
  rollbackOf?: DeploymentRow;
  redeployOf?: DeploymentRow;
  /** The deployment whose artifact is started with other settings; it is rebuilt if it no longer exists. */
  reuses?: DeploymentRow;
  /** The target server; null for this machine. */
  serverId: string | null;
  /** The only replica that can run it. */
  machine: string | null;
  commit?: { sha: string | null; message: string | null };
  /** This instance is a hosted cloud, so the deployment's target is `cloud` and its queue is limited. */
  isHosted?: boolean;
  /** Whether the request itself sets endpoints. */
  isNaming?: boolean;
  /** Whether the caller may add domains to the project. */
  mayAddDomains?: boolean;
};

/** Queue limit per project in cloud mode. Queued pushes replace each other. */
const mostWaiting = 25;

/** Queues a deployment, with its first event and its audit entry. */
export async function createDeployment(
  trx: Trx,
  sealer: Sealer,
  actor: AuditActor,
  wanted: NewDeployment,
): Promise<DeploymentRow> {
  const row = newDeploymentRow(sealer, actor, wanted);
  if (wanted.trigger === 'push') await supersede(trx, row);
  else if (wanted.isHosted) await requireShortQueue(trx, row);
  await insertDeployment(trx, row);
  if (wanted.source.type === 'githost') await insertStatus(trx, row, wanted.source, wanted.project.slug);
  await appendEvents(trx, row.id, [{ type: 'status', at: Date.now(), data: { status: 'queued', decision: null } }]);
  const target = { id: row.id, name: wanted.project.slug };
  const details = { trigger: wanted.trigger, environment: wanted.environment, project: wanted.project.id };
  await recordAudit(trx, row.organizationId, actor, { action: 'deployment.created', target, details });
  return row;
}

/** Returns a row that is not stored yet. */
export function newDeploymentRow(
  sealer: Sealer,
  { userId }: Pick<AuditActor, 'userId'>,
  wanted: NewDeployment,
): DeploymentRow {
  const id = newId('dep');
  const { project, rollbackOf, source } = wanted;
  const builtBy = rollbackOf ?? wanted.reuses;
  return {
    id,
    organizationId: project.organizationId,
    projectId: project.id,
    environment: wanted.environment,
    status: 'queued',
    decision: null,
    pinned: 0,
    active: 0,
    trigger: wanted.trigger,
    branch: isFromGit(source) ? source.branch : null,
    commitSha: wanted.commit?.sha ?? null,
    commitMessage: wanted.commit?.message ?? null,
    source: JSON.stringify(source),
    config: sealer.seal(JSON.stringify(wanted.config), configSealLocation(id)),
    urls: '[]',
    deployTarget: wanted.serverId !== null ? 'server' : wanted.isHosted ? 'cloud' : 'local',
    serverId: wanted.serverId,
    machine: wanted.machine,
    rollbackOf: rollbackOf?.id ?? null,
    redeployOf: wanted.redeployOf?.id ?? null,
    // A rollback runs the existing artifact, or builds its own if that is gone.
    artifactId: builtBy?.artifactKept ? builtBy.artifactId : id,
    artifactKept: builtBy?.artifactKept ? 1 : 0,
    image: null,
    imageDigest: null,
    stack: null,
    services: null,
    error: null,
    prompt: null,
    promptAnswer: null,
    held: wanted.held ? 1 : 0,
    switching: 0,
    cancelRequestedAt: null,
    createdBy: userId,
    createdAt: Date.now(),
    startedAt: null,
    buildStartedAt: null,
    buildFinishedAt: null,
    finishedAt: null,
    lastSeq: 0,
    fence: 0,
    leaseOwner: null,
    leaseUntil: null,
    reservedMemory: 0,
    reservedCpu: 0,
  };
}

/** Limits the queue in cloud mode: claiming the next deployment scans everything that is queued. */
async function requireShortQueue(trx: Trx, { projectId, organizationId }: DeploymentRow): Promise<void> {
  const waiting = await tenant(trx, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where('status', '=', 'queued')
    .limit(mostWaiting)
    .execute();
  if (waiting.length < mostWaiting) return;
  const sentence = `${mostWaiting} deployments of this project are already queued; cancel some first`;
  throw new AppError('rate_limited', sentence, { retryAfterSeconds: 30 });
}

/** The latest queued push wins: only the newest is worth building. */
async function supersede(trx: Trx, { projectId, environment, organizationId }: DeploymentRow): Promise<void> {
  const older = await trx
    .selectFrom('deployments')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('trigger', '=', 'push')
    .where('status', '=', 'queued')
    .execute();
  for (const { id } of older)
    await cancelQueued(trx, organizationId, id, { code: 'superseded', message: 'a newer push replaced it' });
}

/** Cancels a deployment that no worker has claimed; false if one has. */
export async function cancelQueued(
  trx: Trx,
  organizationId: string,
  id: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const at = Date.now();
  const error = JSON.stringify({ ...why, step: null, hint: null });
  const { numUpdatedRows } = await trx
    .updateTable('deployments')
    .set({ status: 'cancelled', finishedAt: at, error })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .executeTakeFirst();
  if (!numUpdatedRows) return false;
  const data = { status: 'cancelled', decision: null };
  await appendEvents(trx, id, [
    { type: 'status', at, data },
    { type: 'end', at, data: { status: 'cancelled' } },
  ]);
  return true;
}

/** Settings that a request adds for one deployment. */
export type RequestedConfig = Pick<DeploymentConfig, 'services' | 'publicEndpoints' | 'buildStrategy'> & {
  envVars: Record<string, string>;
  port: number | null;
};

/** Returns the project's current settings and variables with the request's additions. */
export function newDeploymentConfig(
  project: DeployableProject,
  variables: DeploymentVariable[],
  { envVars: extra, port, services, publicEndpoints, buildStrategy }: RequestedConfig,
): DeploymentConfig {
  const { settings } = project;
  const own = variables.filter(({ key }) => !Object.hasOwn(extra, key));
  const added = Object.entries(extra).map(([key, value]) => ({
    key,
    value,
    secret: true,
    buildTime: false,
    extra: true,
  }));
  return {
    ...settings,
    rootDirectory: settings.rootDirectory ?? '',
    port: port ?? settings.port,
    askedPort: port,
    slug: project.slug,
    requireApproval: project.requireApproval,
    rollbackWindow: project.rollbackWindow,
    variables: [...own, ...added],
    trusted: project.trusted,
    publicEndpoints: publicEndpoints ?? project.settings.publicEndpoints,
    ...(publicEndpoints && { askedEndpoints: publicEndpoints }),
    ...(services && { services }),
    ...(buildStrategy && { buildStrategy }),
    ...(project.document !== null && { document: project.document }),
  };
}

/** Returns the additions of an earlier request, to repeat it. */
export const requestedConfigOf = ({
  variables,
  askedPort,
  services,
  askedEndpoints,
  buildStrategy,
}: DeploymentConfig): RequestedConfig => ({
  envVars: Object.fromEntries(variables.filter(({ extra }) => extra).map(({ key, value }) => [key, value])),
  port: askedPort ?? null,
  ...(services && { services }),
  ...(buildStrategy && { buildStrategy }),
  ...(askedEndpoints && { publicEndpoints: askedEndpoints }),
});
