import { configIn } from '../model/stored.ts';
import { startOrder } from '../../../compose/index.ts';
import type { Db } from '../../../db/database.ts';
import { EngineAwayError, PortTakenError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { Restarts } from './restart.ts';
import { type DeploymentRow, isUnderWay, selectDeployment } from '../model/store.ts';
import { selectStacksOn, updateServices } from '../model/stack-store.ts';
import type { Surroundings } from './surroundings.ts';
import { truths } from '../release/in-use.ts';
import { containerKey, isBroken, isSiteState, type ServiceState, type Stack, statesOf } from '../model/stack.ts';
import { releaseOf } from '../release/release-of.ts';
import { stackOf } from '../model/run-stack.ts';
import { replicaOf, together } from '../../../drivers/runtime/replicas.ts';
import { selectScales, withScale } from '../model/scale.ts';
import { restartOfService } from '../release/service-spec/service-spec.ts';

export type UpkeepDeps = {
  db: Db;
  parts: Parts;
  sealer: Sealer;
  log: Log;
  owner: string;
  around: Surroundings;
  /** Which replicas may get requests; all of them where it is not said. */
  replicas?: { isReady: (instance: Instance) => boolean };
};
type ReviveDeps = UpkeepDeps & { restarts: Pick<Restarts, 'isUnderWay'> };

/** A deployment at rest: it serves, or waits for a decision. */
export interface RestingStack extends Resting {
  /** The release that serves, for one that waits for a decision. What has failed runs as that has it. */
  before: Resting | undefined;
}

export type Resting = { row: DeploymentRow; config: DeploymentConfig; stack: Stack; states: ServiceState[] };

/** All of this machine, but those that a worker is busy with. */
export async function restingStacks({
  db,
  parts,
  sealer,
  owner,
  log,
}: Pick<UpkeepDeps, 'db' | 'parts' | 'sealer' | 'owner' | 'log'>) {
  const rows = await selectStacksOn(db, { owner, server: parts.server });
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  const current = [...byProject.values()].flatMap((each) => truths(each));
  const scales = await selectScales(db, [...byProject.keys()]);
  const atRest = current.filter(
    (row) => row.leaseOwner === null && (row.active === 1 || row.status === 'partial_failure'),
  );
  return atRest.flatMap((row): RestingStack[] => {
    try {
      const before = rows.find((each) => each.active === 1 && each.id !== row.id && isBeside(each, row));
      const resting = restingOf(sealer, row);
      // Where an organization has limits, a deployment finds room for more replicas first.
      const stack = parts.limits ? resting.stack : withScale(resting.stack, scales.get(row.projectId)!);
      return [{ ...resting, stack, before: before && restingOf(sealer, before) }];
    } catch (error) {
      // One that cannot be read does not keep the others from being looked after.
      log.error(`deployment ${row.id}: ${(error as Error).message}`);
      return [];
    }
  });
}

export function restingOf(sealer: Sealer, row: DeploymentRow): Resting {
  const config = configIn(sealer, row);
  return { row, config, stack: stackOf(sealer, row)!, states: statesOf(row) };
}

const isBeside = (a: DeploymentRow, b: DeploymentRow): boolean =>
  a.projectId === b.projectId && a.environment === b.environment;

/** Containers that somebody has stopped or removed, or that did not come back after a reboot, are started again. */
export async function reviveServices(deps: ReviveDeps): Promise<void> {
  const { log, around } = deps;
  const running = keyed((await around.look()).all);
  for (const resting of await restingStacks(deps)) {
    const order = startOrder(resting.stack.project.services).flat();
    const anew = new Set<string>();
    for (const name of order) {
      const state = resting.states.find((each) => each.name === name);
      if (!state || state.runsOf === null || isSiteState(state)) continue;
      // An engine that is away does not keep us from looking after what needs none.
      if (around.away && !state.folder) continue;
      const found = firstOf(running.get(containerKey(state.runsOf, name)));
      const isCutOff = anew.has(networkOf(resting, name));
      if (!isCutOff && !isMissed(resting, state, found)) continue;
      // Those that were started before it have taken their time.
      if (!(await isStillAtRest(deps.db, resting.row))) break;
      if (!isCutOff && (await isBackSince(deps, resting, state))) continue;
      const why = isCutOff ? 'has lost its network' : found?.isOrphan ? 'runs without its supervisor' : 'does not run';
      log.warn(`${name} of ${resting.row.id} ${why} and is started again`);
      try {
        if (isCutOff) await deps.parts.runtime.remove(state.runsOf, name);
        if (isCutOff || !found) anew.add(name);
        await startAgain(deps, resting, state, isCutOff ? undefined : found);
      } catch (error) {
        around.noticeAway(error);
        log.error(`${name} of ${resting.row.id} does not start again: ${(error as Error).message}`);
      }
    }
  }
}

/** The look was before: somebody has brought it back since then, and is done with that, or is restarting it. To start it again
 * would end what it is answering. */
async function isBackSince({ parts, restarts }: ReviveDeps, resting: RestingStack, state: ServiceState) {
  if (restarts.isUnderWay(containerKey(state.runsOf!, state.name))) return true;
  return !isMissed(resting, state, await parts.runtime.find(state.runsOf!, state.name, 1));
}

/** A worker may have begun since the look, or somebody has decided: who starts something now starts it beside theirs. */
export async function isStillAtRest(db: Db, { id, organizationId, projectId, environment, ...seen }: DeploymentRow) {
  const now = await selectDeployment(db, organizationId, id);
  if (now?.leaseOwner !== null || now.fence !== seen.fence || now.services !== seen.services) return false;
  if (now.active !== seen.active) return false;
  return !(await isUnderWay(db, projectId, environment, ['deploying']));
}

/** The service whose network it shares, if it does: that goes with the container. */
const networkOf = ({ stack }: RestingStack, name: string): string => {
  const mode = stack.project.services.find((service) => service.name === name)?.networkMode ?? '';
  return mode.startsWith('service:') ? mode.slice('service:'.length) : '';
};

/** Whether it should run and does not. What may end, and has, is where it should be. */
export function isMissed({ stack }: RestingStack, state: ServiceState, instance: Instance | undefined): boolean {
  const { name, status, isOver = status === 'completed' } = state;
  const isUp = instance?.state === 'running' || instance?.state === 'restarting';
  if (isOver || (isUp && !instance.isOrphan)) return false;
  const { services } = stack.project;
  const service = services.find((each) => each.name === name);
  if (!service) return false;
  if (!instance) return true;
  const { policy } = restartOfService(services, service);
  return policy === 'on-failure' ? instance.exitCode !== 0 : policy !== 'no';
}

async function startAgain(
  { db, parts }: UpkeepDeps,
  resting: RestingStack,
  state: ServiceState,
  instance: Instance | undefined,
): Promise<void> {
  const { row, states } = resting;
  const { name, runsOf } = state;
  // A process is started by its supervisor, which may be what has ended.
  const isAlone = !instance?.others?.length;
  if (instance && isAlone && !state.folder && (await isRestarted(parts, resting, state))) return;
  const made = (isBroken(state) && resting.before) || resting;
  // The new container is the other deployment's.
  if (instance && runsOf !== made.row.id) await parts.runtime.remove(runsOf!, name);
  await parts.runtime.start(await releaseOf(parts, { ...made, deployment: made.row }, name, true));
  const now = states.map((each) => (each.name === name ? { ...each, runsOf: made.row.id } : each));
  states.splice(0, states.length, ...now);
  const services = JSON.stringify(now);
  // Somebody has decided about it meanwhile, for one: the next round looks again.
  if (await updateServices(db, row, services)) row.services = services;
}

/** False when the container cannot be started as it is: its port belongs to somebody else by now, for one. A new container of
 * an app loses nothing. What a service of a stack wrote into its container is lost, so it stays unless its port is gone. */
async function isRestarted(parts: Parts, { stack }: RestingStack, { name, runsOf }: ServiceState): Promise<boolean> {
  try {
    await parts.runtime.restart(runsOf!, name);
  } catch (error) {
    if (error instanceof PortTakenError || (stack.app && !(error instanceof EngineAwayError))) return false;
    throw error;
  }
  await parts.containers?.services.promote(runsOf!, name);
  return true;
}

/** The replicas of each service together, by what the edge knows them by. */
export function keyed(instances: Instance[]): Map<string, Instance> {
  const groups = Map.groupBy(instances, ({ owner }) => containerKey(owner.deploymentId, owner.service));
  return new Map([...groups].map(([key, replicas]) => [key, together(replicas)!]));
}

/** The first replica may be the one that is missing. */
const firstOf = (found: Instance | undefined): Instance | undefined =>
  found && replicaOf(found.owner) === 1 ? found : undefined;
