import type { FoundService } from './found-services.ts';
import { safeText, shownAll } from './safe-text.ts';

/** Returns why a service of a Swarm cannot be adopted; undefined if it can, or if it is none. */
export function swarmObstacle({ containers: [container], identity }: FoundService): string | undefined {
  const { swarm, Mounts } = container;
  if (!swarm)
    return identity.isSwarmTask
      ? 'it is a task of a Swarm that this machine does not manage, which would start it again; adopt it on a manager'
      : undefined;
  if (swarm.replicas === null) return 'it is a Swarm service without a number of replicas (global, or a job)';
  const nodes = shownAll(swarm.elsewhere, 100).join(', ');
  if (!swarm.isHere)
    return nodes
      ? `its tasks run on other nodes of the Swarm (${nodes}), not on this machine; adopt it there, or move it here`
      : 'none of its tasks has run on this machine, so its settings are not known; scale it to 1 first';
  const data = Mounts.filter(({ Type }) => ['volume', 'bind'].includes(Type));
  if (nodes && data.length)
    return `it also runs on other nodes of the Swarm (${nodes}), which have data of their own for ${safeText(data[0]!.Destination, 200)}; move all its tasks here first`;
  const binary = swarm.files.find(({ content, secretId }) => content === null && secretId === null);
  return binary && `its config ${safeText(binary.name, 100)} is not text, or cannot be read`;
}

/** Returns what changes for a service that leaves the Swarm. */
export function swarmWarnings({ containers: [{ swarm, HostConfig }] }: FoundService): string[] {
  if (!swarm) return [];
  const nodes = shownAll(swarm.elsewhere, 100).join(', ');
  if (!nodes) return [];
  const ports = Object.keys(HostConfig.PortBindings);
  const published = ports.length ? ', and only this machine will publish its ports' : '';
  return [`all of its replicas will run on this machine; now it also runs on ${nodes}${published}`];
}
