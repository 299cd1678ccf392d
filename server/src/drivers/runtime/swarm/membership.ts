import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../docker/engine/errors.ts';
import type { NodeInfo } from './types.ts';

type Info = { Swarm: { NodeID?: string; ControlAvailable?: boolean; LocalNodeState?: string } };
export type NodeRole = NodeInfo['Spec']['Role'];

/** Label of a node that is being removed. */
export const leavingLabel = 'mooring.leaving';

/** How old the list of nodes may be that drivers use. */
export const nodesFreshMs = 1000;

const joinMs = 90_000;
const readingMs = 10_000;
const mostTries = 20;

/** Returns the node of an engine in its Swarm; undefined if it is in none. */
export async function ownNode(engine: EngineClient): Promise<{ id: string; isManager: boolean } | undefined> {
  const { Swarm } = await engine.json<Info>({ method: 'GET', path: '/info', deadlineMs: readingMs });
  return Swarm.NodeID ? { id: Swarm.NodeID, isManager: Swarm.ControlAvailable === true } : undefined;
}

/** Makes the engine the first manager of a new Swarm. */
export async function initSwarm(engine: EngineClient, address: string | undefined): Promise<void> {
  const body = { ListenAddr: '0.0.0.0:2377', ...(address && { AdvertiseAddr: address }) };
  await engine.json({ method: 'POST', path: '/swarm/init', body, deadlineMs: joinMs });
}

export const nodesOf = (manager: EngineClient): Promise<NodeInfo[]> => manager.json({ method: 'GET', path: '/nodes' });

/** Lets an engine join the Swarm of a manager. The token does not leave this function. */
export async function joinSwarm(
  manager: EngineClient,
  engine: EngineClient,
  { role, address }: { role: NodeRole; address: string | undefined },
): Promise<void> {
  type Swarm = { JoinTokens: { Worker: string; Manager: string } };
  const { JoinTokens } = await manager.json<Swarm>({ method: 'GET', path: '/swarm' });
  const RemoteAddrs = (await nodesOf(manager)).flatMap(({ ManagerStatus }) => ManagerStatus?.Addr ?? []);
  const JoinToken = role === 'manager' ? JoinTokens.Manager : JoinTokens.Worker;
  const body = { ListenAddr: '0.0.0.0:2377', RemoteAddrs, JoinToken, ...(address && { AdvertiseAddr: address }) };
  await engine.json({ method: 'POST', path: '/swarm/join', body, deadlineMs: joinMs });
}

type NodeSpec = NodeInfo['Spec'];

/** Changes a node, also when somebody else changes it at the same time. */
export async function changeNode(
  manager: EngineClient,
  id: string,
  change: (spec: NodeSpec) => Partial<NodeSpec>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { Version, Spec } = await manager.json<NodeInfo>({ method: 'GET', path: `/nodes/${id}` });
    const call = { method: 'POST', path: `/nodes/${id}/update`, query: { version: Version.Index } } as const;
    try {
      return await manager.json({ ...call, body: { ...Spec, ...change(Spec) } });
    } catch (error) {
      const isOutdated = error instanceof EngineError && /out of sequence/i.test(error.message);
      if (!isOutdated || tries === mostTries) throw error;
    }
  }
}

/** Marks a node as being removed, or not: nobody starts an edge on one that is. */
export const setLeaving = (manager: EngineClient, id: string, isLeaving: boolean): Promise<void> =>
  changeNode(manager, id, ({ Labels }) => {
    const { [leavingLabel]: _, ...others } = Labels ?? {};
    return { Labels: isLeaving ? { ...others, [leavingLabel]: 'true' } : others };
  });

export const leaveSwarm = async (engine: EngineClient, force: boolean): Promise<void> =>
  engine.json({ method: 'POST', path: '/swarm/leave', query: { force }, deadlineMs: joinMs });

/** Removes a node that has left. */
export const forgetNode = async (manager: EngineClient, id: string): Promise<void> =>
  void (await undefinedIfGone(manager.json({ method: 'DELETE', path: `/nodes/${id}`, query: { force: true } })));
