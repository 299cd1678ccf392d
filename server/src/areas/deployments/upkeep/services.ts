import { existsSync } from 'node:fs';
import { startOrder } from '../../../compose/index.ts';
import { EngineAwayError, ImageMissingError, PortTakenError } from '../../../drivers/runtime/errors.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Parts } from '../model/parts.ts';
import { isStillAtRest, type RestingStack, stacksOfRound, type UpkeepDeps } from './resting-stacks.ts';
import type { Restarts } from './restart.ts';
import type { DeploymentRow } from '../model/store.ts';
import { updateServices } from '../model/stack-store.ts';
import { containerKey, isBroken, isSiteState, type ServiceState } from '../model/stack.ts';
import { prepareRelease } from '../release/prepare-release.ts';
import { replicaOf, combineReplicas } from '../../../drivers/runtime/replicas.ts';
import { restartOfService } from '../release/service-spec/service-spec.ts';

type ReviveDeps = UpkeepDeps & {
  restarts: Pick<Restarts, 'isUnderWay'>;
  /** Builds an active release again whose artifact is gone. */
  rebuild: (active: DeploymentRow) => Promise<boolean>;
};

/** Restarts containers that were stopped or removed, or that did not come back after a reboot. */
export async function reviveServices(deps: ReviveDeps): Promise<void> {
  const { log, around } = deps;
  const running = byContainerKey((await around.look()).all);
  for (const resting of (await stacksOfRound(deps)).resting) {
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
      if (!isCutOff && !isMissingService(resting, state, found)) continue;
      // Starting the previous ones took time.
      if (!(await isStillAtRest(deps.db, resting.row))) break;
      if (!isCutOff && (await isBackSince(deps, resting, state))) continue;
      const why = isCutOff ? 'has lost its network' : found?.isOrphan ? 'runs without its supervisor' : 'does not run';
      log.warn(`${name} of ${resting.row.id} ${why} and is started again`);
      try {
        if (isCutOff) await deps.parts.runtime.remove(state.runsOf, name);
        if (isCutOff || !found) anew.add(name);
        await restartService(deps, resting, state, isCutOff ? undefined : found);
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
  return !isMissingService(resting, state, await parts.runtime.find(state.runsOf!, state.name, 1));
}

/** Returns the service whose network it shares, if any: the network is lost with that container. */
const networkOf = ({ stack }: RestingStack, name: string): string => {
  const mode = stack.project.services.find((service) => service.name === name)?.networkMode ?? '';
  return mode.startsWith('service:') ? mode.slice('service:'.length) : '';
};

/** Whether the service should run and does not. One that may exit, and has, is fine. */
export function isMissingService(
  { stack }: RestingStack,
  state: ServiceState,
  instance: Instance | undefined,
): boolean {
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

export async function restartService(
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
  await parts.runtime.start(await prepareRelease(parts, { ...made, deployment: made.row }, name, true));
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
export function byContainerKey(instances: Instance[]): Map<string, Instance> {
  const groups = Map.groupBy(instances, ({ owner }) => containerKey(owner.deploymentId, owner.service));
  return new Map([...groups].map(([key, replicas]) => [key, combineReplicas(replicas)!]));
}

/** The first replica may be the missing one. */
const firstOf = (found: Instance | undefined): Instance | undefined =>
  found && replicaOf(found.owner) === 1 ? found : undefined;
