import type { Sealer } from '../../../lib/seal.ts';
import type { Db, Sql, Trx } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { badRequest, conflict, notFound } from '../../../errors.ts';
import { grantedIds, hasAccessTo, canSee } from '../../access/port.ts';
import { type Domains, requireFreeLabel } from '../../domains/port.ts';
import type { ProjectsArea } from '../../projects/area.ts';
import {
  lockExistingProject,
  hostLabel,
  moveProject,
  requireNotPromoted,
  reserveHostName,
  selectHostName,
  selectLink,
  selectProject,
  servicesSealLocation,
  projectSettingsOf,
  storedSource,
  updateProject,
  visibleProject,
} from '../../projects/port.ts';
import { selectServer, type Servers } from '../../servers/port.ts';
import { customNameOf, freeHost, freeNameOf } from '../release/addresses.ts';
import type { DeployableProject, NewRelease, ProjectsPort } from '../model/projects-port.ts';

type NamesOf = {
  domains: Domains;
  baseDomain: string;
  instanceLabel: string | undefined;
  /** Called before a project moves to another machine. */
  onMove: (trx: Trx, project: Pick<ProjectTable, 'id' | 'organizationId'>) => Promise<void>;
};

/** Implements the operations that deployments need from projects. */
export const projectsPort = (
  db: Db,
  { variables, uploads }: ProjectsArea,
  names: NamesOf,
  servers: Servers,
  sealer: Sealer,
): ProjectsPort => ({
  find: async (caller, id, action) => withLink(db, sealer, await visibleProject(db, caller, id, action)),
  own: async (sql, organizationId, id) => {
    const row = await selectProject(sql, organizationId, id);
    return row && { ...(await withLink(sql, sealer, row)), autoDeploy: row.autoDeploy === 1 };
  },
  visible: (caller, action) => grantedIds(caller, 'project', action),
  mayOn: (caller, projectId, action) => hasAccessTo(caller, 'project', projectId, action),
  sees: (caller, projectId) => canSee(caller, 'project', projectId),
  variables: (sql, projectId) => variables.valuesOf(sql, projectId),
  hold: async (trx, project) => deployable(await heldRow(trx, project), sealer),
  async scale(trx, project, service, replicas) {
    const row = await heldRow(trx, project);
    const settings = projectSettingsOf(row);
    const change = service === null ? { replicas } : { scale: { ...settings.scale, [service]: replicas } };
    await updateProject(trx, { ...row, settings: JSON.stringify({ ...settings, ...change }), updatedAt: Date.now() });
  },
  claimUpload: (sql, caller, uploadId, projectId) => uploads.claim(sql, caller, uploadId, projectId),
  serverFor: (sql, caller, serverId) => servers.targetFor(sql, caller, serverId),
  async moveTo(trx, { organizationId, id }, serverId) {
    await names.onMove(trx, { id, organizationId });
    await moveProject(trx, organizationId, id, serverId);
  },
  prepareRelease: (trx, project, release) => prepareRelease(trx, names, project, release),
});

async function heldRow(trx: Trx, { organizationId, id }: DeployableProject): Promise<ProjectTable> {
  const row = (await lockExistingProject(trx, organizationId, id)) && (await selectProject(trx, organizationId, id));
  if (!row) throw conflict('this project is being deleted');
  return row;
}

/** Uses the repository's id and its current name. */
async function withLink(sql: Sql, sealer: Sealer, row: ProjectTable): Promise<DeployableProject> {
  const project = deployable(row, sealer);
  const link = project.source.type === 'githost' ? await selectLink(sql, row.organizationId, row.id) : undefined;
  if (!link) return project;
  const { owner, name, repositoryId, branch } = link;
  return { ...project, source: { type: 'githost', owner, repo: name, repositoryId, branch } };
}

async function prepareRelease(
  trx: Trx,
  { domains, baseDomain: usual, instanceLabel }: NamesOf,
  project: DeployableProject,
  { environment, endpoints, actor, asked, mayAddDomains, serverId }: NewRelease,
): Promise<void> {
  const { id, organizationId, slug } = project;
  const server = serverId === null ? undefined : await selectServer(trx, organizationId, serverId);
  const baseDomain = server?.baseDomain ?? usual;
  if (!(await lockExistingProject(trx, organizationId, id))) {
    const isThere = await selectProject(trx, organizationId, id);
    throw isThere ? conflict('this project is being deleted') : notFound('project');
  }
  requireNotPromoted((await selectProject(trx, organizationId, id))!);
  const holder = { organizationId, projectId: id, environment };
  await reserveHostName(trx, hostLabel(slug, environment), holder);
  const isAskedNow = asked !== 'again';
  const requireNoDomain = async (label: string) => {
    if (isAskedNow && server?.baseDomain) await domains.requireNoDomain(trx, `${label}.${server.baseDomain}`, holder);
  };
  await requireNoDomain(hostLabel(slug, environment));
  if (isAskedNow) {
    requireDistinct(endpoints);
    requireOnePort(endpoints);
  }
  // Sorted, so that two transactions that want the same names cannot deadlock.
  for (const name of endpoints.flatMap((each) => freeNameOf(each) ?? []).toSorted()) {
    // The project always has its own default name.
    if (freeHost(name, baseDomain) === `${hostLabel(slug, environment)}.${baseDomain}`) continue;
    // The label may have been free when it was first deployed; without a caller, it is skipped silently.
    if (!isAskedNow && freeHost(name, baseDomain) === `${instanceLabel}.${baseDomain}`) continue;
    const label = requireFreeLabel(name, { baseDomain, instanceLabel }, 'publicEndpoints.domain');
    await requireNoDomain(label);
    if (isAskedNow || (await isFreeFor(trx, label, holder))) await reserveHostName(trx, label, holder);
  }
  const own = endpoints.map(customNameOf).filter((name) => name !== undefined);
  await domains.ensure(trx, { actor, holder, names: own, asked, mayAdd: mayAddDomains });
}

async function isFreeFor(
  trx: Trx,
  label: string,
  { projectId, environment }: { projectId: string; environment: string },
) {
  const owner = await selectHostName(trx, label);
  return !owner || (owner.projectId === projectId && owner.environment === environment);
}

/** Rejects two endpoints at the same domain and path. */
function requireDistinct(endpoints: NewRelease['endpoints']): void {
  const places = endpoints.map((each) => {
    const name = customNameOf(each) ?? freeNameOf(each) ?? (each.targetPath ? '' : (each.service ?? ''));
    return `${name}${each.targetPath ?? '/'}`;
  });
  const twice = places.find((place, i) => places.indexOf(place) !== i);
  if (twice !== undefined)
    throw badRequest(
      `publicEndpoints: ${twice} appears twice; each domain and path can lead to one service only`,
      'publicEndpoints',
    );
}

/** Rejects endpoints with several ports for one app or service. */
function requireOnePort(endpoints: NewRelease['endpoints']): void {
  for (const [service, own] of Map.groupBy(endpoints, (each) => each.service)) {
    const ports = new Set(own.flatMap(({ port }) => port ?? []));
    if (ports.size > 1)
      throw badRequest(
        `publicEndpoints: ${service ?? 'an app'} has one port, and ${[...ports].join(', ')} are given; give each port its own service, or keep one port`,
        'publicEndpoints',
      );
  }
}

function deployable(row: ProjectTable, sealer: Sealer): DeployableProject {
  const settings = projectSettingsOf(row);
  const { type = 'http', path = null, timeoutSeconds = null } = settings.healthCheck;
  return {
    id: row.id,
    organizationId: row.organizationId,
    slug: row.slug,
    number: row.number,
    source: storedSource(row),
    settings: {
      rootDirectory: settings.rootDirectory === '.' ? '' : settings.rootDirectory,
      installCommand: settings.installCommand,
      buildCommand: settings.buildCommand,
      startCommand: settings.startCommand,
      outputDirectory: settings.outputDirectory === '.' ? '' : settings.outputDirectory,
      releaseCommand: settings.releaseCommand,
      healthCheck: { type, path, timeoutSeconds },
      memoryBytes: settings.resources.memoryMb ? settings.resources.memoryMb * 1_048_576 : null,
      cpus: settings.resources.cpus ?? null,
      port: settings.port ?? settings.publicEndpoints.find(({ port }) => port !== undefined)?.port ?? null,
      readOnly: settings.resources.readOnly ?? null,
      publicEndpoints: settings.publicEndpoints,
      replicas: settings.replicas,
      scale: settings.scale,
      buildLabels: settings.buildLabels,
      buildPlatforms: settings.buildPlatforms,
    },
    rollbackWindow: row.rollbackWindow,
    requireApproval: row.requireApproval === 1,
    trusted: row.trusted === 1,
    serverId: row.serverId,
    isInCloud: row.cloudState === 'there',
    document: row.services === null ? null : sealer.open(row.services, servicesSealLocation(row.id)),
  };
}
