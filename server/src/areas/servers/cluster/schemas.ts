import { isIP } from 'node:net';
import { z } from '../../../lib/zod/index.ts';
import type { NodeInfo } from '../../../drivers/runtime/swarm/types.ts';
import type { ServerTable } from '../../../db/tables.ts';

const roles = ['worker', 'manager'] as const;
const role = z
  .enum(roles)
  .describe('Managers keep the state of the cluster. It works while more than half of them do.');

const advertiseAddress = z
  .string()
  .trim()
  .refine((text) => isIP(text) > 0 || /^[a-z0-9]+$/i.test(text), {
    error: 'must be an IP address of the server, or the name of a network interface',
  })
  .describe(
    'Address at which the other nodes reach it. Default: the IP address of the server, or what Docker chooses.',
  );

export const ClusterBody = z.object({ advertiseAddress: advertiseAddress.optional() });
export const JoinBody = z.object({
  serverId: z.string().min(1).max(100).describe('Server that becomes a node.'),
  role: role.default('worker'),
  advertiseAddress: advertiseAddress.optional(),
});
export type JoinBody = z.output<typeof JoinBody>;

export const HeadBody = z.object({
  serverId: z.string().min(1).max(100).describe('Manager that becomes the server of the cluster.'),
  force: z
    .boolean()
    .default(false)
    .describe('Also if folders or files that services mount are on the previous server; they stay there.'),
});
export type HeadBody = z.output<typeof HeadBody>;

export const NodeChange = z.object({
  availability: z.enum(['active', 'drain']).optional().describe('`drain` moves everything to other nodes.'),
  role: role.optional(),
  force: z.boolean().default(false).describe('Drain a node whose volumes no other node has; their services stop.'),
});
export type NodeChange = z.output<typeof NodeChange>;

export const ClusterNode = z
  .object({
    id: z.string(),
    hostname: z.string(),
    serverId: z.string().nullable().describe('null: Mooring does not reach it, so it has no edge and no volumes.'),
    serverName: z.string().nullable(),
    role: z.enum(roles),
    isLeader: z.boolean(),
    availability: z.enum(['active', 'pause', 'drain']),
    state: z.enum(['ready', 'down', 'unknown', 'disconnected']),
    address: z.string().nullable(),
    architecture: z.string().nullable(),
    engineVersion: z.string().nullable(),
    stacksWithVolumes: z.number().describe('Number of stacks whose volumes are on the node.'),
  })
  .meta({ id: 'ClusterNode' });

export const Cluster = z
  .object({
    serverId: z.string().describe('The server that projects are deployed to.'),
    isHealthy: z.boolean().describe('All nodes respond, and enough managers for decisions.'),
    problems: z.array(z.string()),
    nodes: z.array(ClusterNode),
  })
  .meta({ id: 'Cluster' });

export const awayProblem = ({ name }: Pick<ServerTable, 'name'>): string =>
  `${name}, the server of the cluster, does not respond or is no longer a node; if it is lost, deploy through another manager (mooring cluster head <node>)`;

/** `known`: problems that its nodes do not show. */
export function presentCluster(
  head: Pick<ServerTable, 'id' | 'name'>,
  nodes: readonly NodeInfo[],
  servers: readonly ServerTable[],
  known: readonly string[] = [],
): z.input<typeof Cluster> {
  const shown = nodes.map((node) => presentNode(node, servers));
  const managers = shown.filter((node) => node.role === 'manager');
  const away = shown.filter(({ state }) => state !== 'ready');
  const problems = [
    ...known,
    ...away.map(({ serverName, hostname, state }) => `${serverName ?? hostname} is ${state}`),
    ...(managers.length === 2
      ? ['there are two managers: the cluster stops working when one of them fails; add a third or demote one']
      : []),
    ...shown
      .filter(({ serverId }) => serverId === null)
      .map(({ hostname }) => `${hostname} is not a server of Mooring: it runs apps, but has no edge and no volumes`),
  ];
  return { serverId: head.id, isHealthy: problems.length === 0, problems, nodes: shown };
}

function presentNode({ ID, ...node }: NodeInfo, servers: readonly ServerTable[]): z.input<typeof ClusterNode> {
  const server = servers.find(({ swarmNodeId }) => swarmNodeId === ID);
  const { Spec, Status, Description, ManagerStatus } = node;
  return {
    id: ID,
    hostname: Description.Hostname,
    serverId: server?.id ?? null,
    serverName: server?.name ?? null,
    role: Spec.Role,
    isLeader: ManagerStatus?.Leader === true,
    availability: Spec.Availability,
    state: Status.State,
    address: Status.Addr || null,
    architecture: Description.Platform?.Architecture ?? null,
    engineVersion: Description.Engine?.EngineVersion ?? null,
    stacksWithVolumes: Object.keys(Spec.Labels ?? {}).filter((label) => label.startsWith('mooring.stack.')).length,
  };
}
