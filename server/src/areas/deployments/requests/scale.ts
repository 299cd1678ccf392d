import { type Db, inTransaction } from '../../../db/database.ts';
import { badRequest, notAllowedNow } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { recordAudit } from '../../access/port.ts';
import type { ProjectsPort } from '../model/projects-port.ts';
import { stackOf } from '../model/run-stack.ts';
import { configIn } from '../model/stored.ts';
import { appService, dataFoldersOf, isSiteState, type Stack, serviceStatesOf } from '../model/stack.ts';
import { selectActive, type DeploymentRow } from '../model/store.ts';
import { whyOnlyOne, writtenByOne } from '../model/single-replica.ts';
import { selectMounted, type VolumeRow } from '../model/volume-store.ts';
import { serviceOfVolume } from '../model/volumes.ts';

type Deps = {
  db: Db;
  sealer: Sealer;
  projects: ProjectsPort;
  reconcileSoon: (serverId?: string) => void;
  hasLimits: boolean;
};
type Wanted = { service?: string | undefined; replicas: number; environment: string };

/** Changes the number of replicas without a build: upkeep starts missing ones and stops surplus ones. */
export class Scaling {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async scale(caller: Caller, id: string, { service, replicas, environment }: Wanted) {
    const { db, sealer, projects, reconcileSoon, hasLimits } = this.#deps;
    const project = await projects.find(caller, id, 'write');
    if (project.isInCloud) throw notAllowedNow('this project runs in the cloud; scale it there');
    const active = await selectActive(db, project.organizationId, project.id, environment);
    const stack = active && stackOf(sealer, active);
    const name = serviceFor(stack, service);
    if (!stack) requireRoom(project.settings.scale, name);
    if (active && stack) requireScalable(active, { stack, port: configIn(sealer, active).port }, name, replicas);
    const isApp = stack ? stack.app !== undefined : name === appService;
    await inTransaction(db, async (trx) => {
      await projects.scale(trx, project, isApp ? null : name, replicas);
      const volumes = await selectMounted(trx, { ...project, projectId: project.id, environment });
      if (replicas > 1) requireShared(volumes, stack, name);
      const target = { id: project.id, name: project.slug };
      await recordAudit(trx, project.organizationId, caller, {
        action: 'project.scaled',
        target,
        details: { service: name, replicas },
      });
    });
    reconcileSoon(project.serverId ?? undefined);
    // With organization limits, the next deployment reserves the resources.
    return { service: name, replicas, environment, deploymentId: (!hasLimits && active?.id) || null };
  }
}

function serviceFor(stack: Stack | undefined, service: string | undefined): string {
  if (!stack) return service ?? appService;
  const names = stack.project.services.map(({ name }) => name);
  if (service === undefined && names.length === 1) return names[0]!;
  if (service !== undefined && names.includes(service)) return service;
  const what = service === undefined ? 'say which service' : `there is no service ${service}`;
  throw badRequest(`service: ${what}; there are ${names.join(', ')}`, 'service');
}

const mostNames = 100;

/** Before the first deployment the services are unknown, so their number is limited. */
function requireRoom(scale: Readonly<Record<string, number>>, name: string): void {
  if (name !== appService && !Object.hasOwn(scale, name) && Object.keys(scale).length >= mostNames)
    throw badRequest(`service: at most ${mostNames} services can be scaled; deploy the project first`, 'service');
}

/** Includes volumes that only the next deployment mounts. */
function requireShared(volumes: readonly VolumeRow[], stack: Stack | undefined, name: string): void {
  const isOf = (row: VolumeRow) => (stack ? serviceOfVolume(stack, row)?.name : (row.service ?? appService)) === name;
  const exclusive = volumes.find((row) => isOf(row) && !row.overlap);
  if (exclusive)
    throw badRequest(
      `replicas: ${name} can have one replica only: ${writtenByOne(`the volume ${exclusive.name}`)}`,
      'replicas',
    );
}

type Running = { stack: Stack; port: number | null };

function requireScalable(active: DeploymentRow, { stack, port }: Running, name: string, replicas: number): void {
  const state = serviceStatesOf(active).find((each) => each.name === name);
  if (state && isSiteState(state))
    throw badRequest('replicas: the edge serves a static site itself, without replicas', 'replicas');
  if (replicas > 1 && state?.folder && port !== null)
    throw badRequest(
      `replicas: ${name} can have one replica only: it listens on port ${port} instead of $PORT`,
      'replicas',
    );
  const service = stack.project.services.find((each) => each.name === name)!;
  const why = replicas > 1 ? whyOnlyOne(service, state?.image ?? null, dataFoldersOf(stack)) : undefined;
  if (why !== undefined) throw badRequest(`replicas: ${name} can have one replica only: ${why}`, 'replicas');
}
