import type { ComposeProject, ComposeService } from '../../../../compose/index.ts';
import { EngineError } from '../../../../drivers/runtime/docker/engine/errors.ts';
import { requireContainers } from '../../model/artifact.ts';
import type { StepContext } from '../../model/step.ts';
import { ofService, type Original, type Originals } from '../../model/originals.ts';
import { originalsFor } from '../../model/originals-store.ts';

// Originals that are not replaced yet look for the others on the network that they have always been on. So whatever takes the
// place of one of them is on that network too, under its names, until none is left there that could look.

/** A network that an original was found on, and by which names. */
export type OldNetwork = { network: string; names: string[] };

const builtIn = new Set(['bridge', 'host', 'none', 'default', 'ingress']);

/** Those that the service itself is not on any more. */
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

/** Puts what runs a service, or is about to, on the networks where originals of others still run. It is found there by the names
 * of its originals when it `isNamed`; before that it only finds them. */
export async function standIn(context: StepContext, name: string, isNamed: boolean): Promise<void> {
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
      // It works without that; those that are still to be replaced may not find it for a moment.
      if (!(error instanceof EngineError)) throw error;
      log(`${name} cannot be resolved on the network ${network}: ${error.message}`, 'warn', 'stdout', name);
    }
  }
}

/** Takes everything of ours off the networks on which no original is left. */
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
  return service ? oldNetworksOf(project, service, ofService(originals, name)) : [];
}

/** By originals that nothing was done to. */
const isLookedAtByOthers = (originals: Originals, network: string, except?: string): boolean =>
  Object.entries(originals).some(
    ([service, all]) =>
      service !== except && all.some(({ held, networks }) => !held && networks.some(({ name }) => name === network)),
  );
