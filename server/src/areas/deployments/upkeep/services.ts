import { existsSync } from 'node:fs';
import { configIn } from '../model/stored.ts';
import { startOrder } from '../../../compose/index.ts';
import type { Db } from '../../../db/database.ts';
import { EngineAwayError, ImageMissingError, PortTakenError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { selectHolds } from '../model/hold-store.ts';
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
  /** Decides which replicas may get requests; all by default. */
  replicas?: { isReady: (instance: Instance) => boolean };
};
type ReviveDeps = UpkeepDeps & {
  restarts: Pick<Restarts, 'isUnderWay'>;
  /** Builds an active release again whose artifact is gone. */
  rebuild: (active: DeploymentRow) => Promise<boolean>;
};

/** A deployment at rest: it serves, or waits for a decision. */
export interface RestingStack extends Resting {
  /** While a decision is pending, the active release. Failed services run in its version. */
  before: Resting | undefined;
}

export type Resting = { row: DeploymentRow; config: DeploymentConfig; stack: Stack; states: ServiceState[] };

/** Returns the deployments at rest on this machine; those held by a worker, a backup or a restore are left out. */
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
  const held = new Set((await selectHolds(db)).map(({ deploymentId }) => deploymentId));
  const atRest = current.filter(
    (row) => row.leaseOwner === null && !held.has(row.id) && (row.active === 1 || row.status === 'partial_failure'),
  );
  return atRest.flatMap((row): RestingStack[] => {
    try {
      const before = rows.find((each) => each.active === 1 && each.id !== row.id && isBeside(each, row));
      const resting = restingOf(sealer, row);
      // With organization limits, more replicas need a deployment that reserves the resources.
      const stack = parts.limits ? resting.stack : withScale(resting.stack, scales.get(row.projectId)!);
      return [{ ...resting, stack, before: before && restingOf(sealer, before) }];
    } catch (error) {
      // An unreadable deployment must not block the upkeep of the others.
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

/** Restarts containers that were stopped or removed, or that did not come back after a reboot. */
export async function reviveServices(deps: ReviveDeps): Promise<void> {
  const { log, around } = deps;
  const running = keyed((await around.look()).all);
  for (const resting of await restingStacks(deps)) {
    if (isFolderGone(deps, resting)) {
      await rebuild(deps, resting, 'its folder is gone');
      continue;
    }
    const order = startOrder(resting.stack.project.services).flat();
    const anew = new Set<string>();
    for (const name of order) {
      const state = resting.states.find((each) => each.name === name);
      if (!state || state.runsOf === null || isSiteState(state)) continue;
      // Services without an engine are maintained even while the engine is away.
      if (around.away && !state.folder) continue;
      const found = firstOf(running.get(containerKey(state.runsOf, name)));
      const isCutOff = anew.has(networkOf(resting, name));
      if (!isCutOff && !isMissed(resting, state, found)) continue;
      // Starting the previous ones took time.
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
        if (error instanceof ImageMissingError && (await rebuild(deps, resting, error.message))) break;
        log.error(`${name} of ${resting.row.id} does not start again: ${(error as Error).message}`);
      }
    }
  }
}

/** A release that runs as a process, or a site; on this machine only. */
const isFolderGone = ({ parts }: ReviveDeps, { row, states }: RestingStack): boolean =>
  parts.server === null &&
  states.some(({ folder }) => folder !== undefined) &&
  !existsSync(parts.folders.release(row.artifactId));

/** Returns whether the release is being built again. */
async function rebuild(deps: ReviveDeps, { row }: RestingStack, why: string): Promise<boolean> {
  if (row.active !== 1 || !(await deps.rebuild(row))) return false;
  deps.log.warn(`${row.id} is built again: ${why}`);
  return true;
}

/**
 * Whether the service came back since the scan, or is being restarted: another restart would interrupt its requests.
 */
async function isBackSince({ parts, restarts }: ReviveDeps, resting: RestingStack, state: ServiceState) {
  if (restarts.isUnderWay(containerKey(state.runsOf!, state.name))) return true;
  return !isMissed(resting, state, await parts.runtime.find(state.runsOf!, state.name, 1));
}

/**
 * Whether nothing changed since the scan: a worker or a restore may have started, or a decision was made, and a start
 * would interfere.
 */
export async function isStillAtRest(db: Db, { id, organizationId, projectId, environment, ...seen }: DeploymentRow) {
  const now = await selectDeployment(db, organizationId, id);
  if (now?.leaseOwner !== null || now.fence !== seen.fence || now.services !== seen.services) return false;
  if (now.active !== seen.active || (await selectHolds(db)).some((hold) => hold.deploymentId === id)) return false;
  return !(await isUnderWay(db, projectId, environment, ['deploying']));
}

/** Returns the service whose network it shares, if any: the network is lost with that container. */
const networkOf = ({ stack }: RestingStack, name: string): string => {
  const mode = stack.project.services.find((service) => service.name === name)?.networkMode ?? '';
  return mode.startsWith('service:') ? mode.slice('service:'.length) : '';
};

/** Whether the service should run and does not. One that may exit, and has, is fine. */
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

export async function startAgain(
  { db, parts }: Pick<UpkeepDeps, 'db' | 'parts'>,
  resting: RestingStack,
  state: ServiceState,
  instance: Instance | undefined,
): Promise<void> {
  const { row, states } = resting;
  const { name, runsOf } = state;
  // The process's supervisor may be what has ended.
  const isAlone = !instance?.others?.length;
  if (instance && isAlone && !state.folder && (await isRestarted(parts, resting, state))) return;
  const made = (isBroken(state) && resting.before) || resting;
  // The new container belongs to the other deployment.
  if (instance && runsOf !== made.row.id) await parts.runtime.remove(runsOf!, name);
  await parts.runtime.start(await releaseOf(parts, { ...made, deployment: made.row }, name, true));
  const now = states.map((each) => (each.name === name ? { ...each, runsOf: made.row.id } : each));
  states.splice(0, states.length, ...now);
  const services = JSON.stringify(now);
  // If the row was changed meanwhile, for example by a decision, the next round retries.
  if (await updateServices(db, row, services)) row.services = services;
}

/**
 * Returns false if the container cannot be restarted as it is, for example because its port is taken, and should be
 * recreated. An app's container loses nothing; a stack's would lose the files written in it, so it is kept unless its
 * port is gone.
 */
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

/** Groups the replicas of each service by their key at the edge. */
export function keyed(instances: Instance[]): Map<string, Instance> {
  const groups = Map.groupBy(instances, ({ owner }) => containerKey(owner.deploymentId, owner.service));
  return new Map([...groups].map(([key, replicas]) => [key, together(replicas)!]));
}

/** The first replica may be the missing one. */
const firstOf = (found: Instance | undefined): Instance | undefined =>
  found && replicaOf(found.owner) === 1 ? found : undefined;
