import type { EngineClient } from '../docker/engine/client.ts';
import { deploymentLabel, instanceFilter } from '../docker/labels.ts';
import { nodesOf, ownNode } from './membership.ts';

/** What an engine says of the Swarm that it is in. */
export interface SwarmMembership {
  /** Null if it is in none. */
  nodeId: string | null;
  /** Ids of all nodes; only managers know them. */
  members: string[];
  /** Releases of ours run there as containers of their own. */
  hasContainers: boolean;
}

export async function swarmMembershipOf(engine: EngineClient, instanceId: string): Promise<SwarmMembership> {
  const node = await ownNode(engine);
  const query = { all: true, filters: instanceFilter(instanceId) };
  type Container = { Labels: Record<string, string> };
  const containers = await engine.json<Container[]>({ method: 'GET', path: '/containers/json', query });
  return {
    nodeId: node?.id ?? null,
    members: node?.isManager ? (await nodesOf(engine)).map(({ ID }) => ID) : [],
    hasContainers: containers.some(({ Labels }) => deploymentLabel in Labels && !('com.docker.swarm.task' in Labels)),
  };
}
