import type { ComposeProject, ComposeService } from '../../../../compose/index.ts';
import { EngineError } from '../../../../drivers/runtime/docker/engine/errors.ts';
import { requireContainers } from '../../model/artifact.ts';
import type { StepContext } from '../../model/step.ts';
import { originalsOfService, type Original, type Originals } from '../../model/originals.ts';
import { originalsFor } from '../../model/originals-store.ts';

// Originals that are not replaced yet resolve the others on their old network. So a replacement joins that network
// too, under the original's names, until no original is left there.

/** A network of an original, and its names there. */
export type OldNetwork = { network: string; names: string[] };

const builtIn = new Set(['bridge', 'host', 'none', 'default', 'ingress']);

/** Returns the originals' networks that the service itself is no longer on. */
export function oldNetworksOf(project: ComposeProject, service: ComposeService, originals: Original[]): OldNetwork[] {
  if (service.networkMode !== null) return [];
  const kept = new Set(project.networks.map(({ externalName }) => externalName));
  const all = originals.flatMap(({ name, networks }) =>
    networks.map(({ name: network, aliases = [] }) => ({ network, names: [...aliases, name] })),
  );
  const isOld = ({ network }: OldNetwork) => !builtIn.has(network) && !kept.has(network);
  return [...Map.groupBy(all.filter(isOld), ({ network }) => network)].map(([network, found]) => ({
    network,
    names: [...new Set(found.flatMap(({ names }) => names))],
  }));
}

/**
 * Connects a service to the networks where originals of other services still run. With `isNamed` it takes its
 * originals' names there; before that, it only resolves the others.
 */
export async function joinOriginalNetworks(context: StepContext, name: string, isNamed: boolean): Promise<void> {
  const { parts, deployment, checkLease, log } = context;
  const originals = await originalsFor(context.db, deployment);
  const found = await parts.runtime.find(deployment.id, name);
  if (!found) return;
  for (const { network, names } of oldNetworksIn(context, originals, name)) {
    if (!isLookedAtByOthers(originals, network, name)) continue;
    await checkLease();
    try {
      await requireContainers(parts).originals.join(found.id, network, isNamed ? names : []);
    } catch (error) {
      // It works without; originals that are still to be replaced may fail to resolve it for a moment.
      if (!(error instanceof EngineError)) throw error;
      log(`${name} cannot be resolved on the network ${network}: ${error.message}`, 'warn', 'stdout', name);
    }
  }
}

/** Disconnects our containers from networks without originals. */
export async function leaveOldNetworks(context: StepContext): Promise<void> {
  const { parts, deployment, stack, checkLease } = context;
  const originals = await originalsFor(context.db, deployment);
  for (const { name, runsOf } of stack.states.all())
    for (const { network } of oldNetworksIn(context, originals, name)) {
      if (isLookedAtByOthers(originals, network)) continue;
      const found = runsOf === null ? undefined : await parts.runtime.find(runsOf, name);
      if (!found) continue;
      await checkLease();
      await requireContainers(parts).originals.leave(found.id, network);
    }
}

function oldNetworksIn({ stack }: StepContext, originals: Originals, name: string): OldNetwork[] {
  const { project } = stack.wanted;
  const service = project.services.find((each) => each.name === name);
  return service ? oldNetworksOf(project, service, originalsOfService(originals, name)) : [];
}

/** Whether originals that still run are on the network. */
const isLookedAtByOthers = (originals: Originals, network: string, except?: string): boolean =>
  Object.entries(originals).some(
    ([service, all]) =>
      service !== except && all.some(({ held, networks }) => !held && networks.some(({ name }) => name === network)),
  );
