import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand, type Options } from '../../command.ts';
import { Failure, UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { closestMatch } from '../../closest-match.ts';
import { type Column, type Output, plainText } from '../../output.ts';
import { allServers, findServer, type Server } from '../../servers/find.ts';
import { shellWord } from '../../format.ts';

type Cluster = Schemas['Cluster'];
type Node = Schemas['ClusterNode'];

const columns: Column<Node>[] = [
  { heading: 'NODE', value: nameOf },
  { heading: 'ROLE', value: ({ role, isLeader }) => (isLeader ? `${role}, leader` : role) },
  {
    heading: 'STATE',
    value: ({ state, availability }) => (availability === 'active' ? state : `${state}, ${availability}`),
  },
  { heading: 'ADDRESS', value: ({ address }) => address ?? '-' },
  { heading: 'PROCESSOR', value: ({ architecture }) => architecture ?? '-' },
  { heading: 'DOCKER', value: ({ engineVersion }) => engineVersion ?? '-' },
  { heading: 'STACKS WITH VOLUMES', value: ({ stacksWithVolumes }) => String(stacksWithVolumes) },
];

function nameOf({ serverName, hostname }: Node): string {
  return serverName ?? `${hostname} (not a server of Mooring)`;
}

const ofCluster = {
  cluster: {
    type: 'string',
    value: '<server>',
    help: 'the server that its projects are deployed to; needed with several clusters',
  },
} as const satisfies Options;

const address = {
  address: { type: 'string', value: '<ip>', help: 'address at which the other nodes reach it' },
} as const satisfies Options;

const status = defineCommand({
  name: 'cluster status',
  summary: 'Show the nodes of a cluster, their roles and state',
  options: ofCluster,
  async run({ values, out, instance }) {
    const client = signedInClient(instance());
    const head = await headOf(client, values.cluster);
    const { data } = await unwrap(client.GET('/api/servers/{id}/cluster', { params: { path: { id: head.id } } }));
    show(out, data);
  },
});

const init = defineCommand({
  name: 'cluster init',
  parameters: ['<server>'],
  summary: 'Create a cluster, which projects of the server run on',
  description: 'Creates a Docker Swarm on the server, or uses the one that it manages. No projects may run there yet.',
  options: address,
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findServer(client, named);
    const body = { ...(values.address && { advertiseAddress: values.address }) };
    const { data } = await unwrap(client.POST('/api/servers/{id}/cluster', { params: { path: { id } }, body }));
    show(out, data);
    out.note(`Add further servers with: mooring cluster join <server> --cluster ${shellWord(name)}`);
  },
});

const join = defineCommand({
  name: 'cluster join',
  parameters: ['<server>'],
  summary: 'Add a server to a cluster',
  description: 'The server becomes a node: it runs apps of the cluster, and an edge with all routes and certificates.',
  options: {
    ...ofCluster,
    manager: { type: 'boolean', help: 'also keep the state of the cluster; use one, three or five managers' },
    ...address,
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const head = await headOf(client, values.cluster);
    const { id: serverId, name } = await findServer(client, named);
    const body = {
      serverId,
      role: values.manager ? ('manager' as const) : ('worker' as const),
      ...(values.address && { advertiseAddress: values.address }),
    };
    const path = { id: head.id };
    const { data } = await unwrap(client.POST('/api/servers/{id}/cluster/nodes', { params: { path }, body }));
    show(out, data, `${plainText(name)} is a node of the cluster of ${plainText(head.name)}.`);
  },
});

const force = { force: { type: 'boolean', help: 'also stop what only this node can run' } } as const satisfies Options;

const drain = defineCommand({
  name: 'cluster drain',
  parameters: ['<node>'],
  summary: 'Move everything from a node to the others, for example before maintenance',
  description: 'Each app starts elsewhere before it stops here. Undo it with: mooring cluster activate <node>',
  options: { ...ofCluster, ...force },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { path, node } = await nodeOf(client, named, values.cluster);
    const body = { availability: 'drain' as const, force: Boolean(values.force) };
    const { data } = await unwrap(client.PATCH('/api/servers/{id}/cluster/nodes/{nodeId}', { params: { path }, body }));
    show(out, data, `${plainText(nameOf(node))} is drained.`);
  },
});

const activate = defineCommand({
  name: 'cluster activate',
  parameters: ['<node>'],
  summary: 'Let a drained node run apps again',
  options: ofCluster,
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { path, node } = await nodeOf(client, named, values.cluster);
    const body = { availability: 'active' as const };
    const { data } = await unwrap(client.PATCH('/api/servers/{id}/cluster/nodes/{nodeId}', { params: { path }, body }));
    show(out, data, `${plainText(nameOf(node))} accepts apps again. What was moved away stays where it is.`);
  },
});

const role = defineCommand({
  name: 'cluster role',
  parameters: ['<node>', '<role>'],
  summary: 'Make a node a manager or a worker',
  options: ofCluster,
  async run({ args: [named = '', wanted = ''], values, out, instance }) {
    if (wanted !== 'manager' && wanted !== 'worker') throw new UsageError('<role> is manager or worker');
    const client = signedInClient(instance());
    const { path, node } = await nodeOf(client, named, values.cluster);
    const body = { role: wanted } as const;
    const { data } = await unwrap(client.PATCH('/api/servers/{id}/cluster/nodes/{nodeId}', { params: { path }, body }));
    show(out, data, `${plainText(nameOf(node))} is a ${wanted}.`);
  },
});

const changeHead = defineCommand({
  name: 'cluster head',
  parameters: ['<node>'],
  summary: 'Make another manager the server of the cluster, for example when that server is lost',
  description:
    'Projects are deployed to that manager from now on, and keep running meanwhile. The previous server becomes a ' +
    'node; if it is lost, forget it with: mooring cluster remove <node> --force',
  options: {
    ...ofCluster,
    force: { type: 'boolean', help: 'also if mounted folders or files of services stay on the previous server' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { path, node } = await nodeOf(client, named, values.cluster);
    if (!node.serverId)
      throw new Failure(`${node.hostname} is not a server of Mooring; add it with: mooring server add`);
    const body = { serverId: node.serverId, force: Boolean(values.force) };
    const call = { params: { path: { id: path.id } }, body };
    const { data } = await unwrap(client.POST('/api/servers/{id}/cluster/head', call));
    show(out, data, `${plainText(nameOf(node))} is the server of the cluster.`);
  },
});

const remove = defineCommand({
  name: 'cluster remove',
  parameters: ['<node>'],
  summary: 'Remove a node from a cluster',
  description: 'Drains the node, removes the edge there and lets it leave the Swarm. The server stays in Mooring.',
  options: { ...ofCluster, force: { type: 'boolean', help: 'also if it has volumes or does not respond any more' } },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { path, node } = await nodeOf(client, named, values.cluster);
    const params = { path, query: { force: values.force ? 'true' : 'false' } };
    const { data } = await unwrap(client.DELETE('/api/servers/{id}/cluster/nodes/{nodeId}', { params }));
    show(out, data, `${plainText(nameOf(node))} has left the cluster.`);
  },
});

function show(out: Output, cluster: Cluster, done?: string): void {
  if (out.json) return out.print(cluster, () => '');
  if (done) out.print(cluster, () => done);
  else {
    out.list(cluster.nodes, columns);
    const head = cluster.nodes.find(({ serverId }) => serverId === cluster.serverId);
    if (head) out.note(`Projects are deployed to ${plainText(nameOf(head))}.`);
  }
  for (const problem of cluster.problems) out.note(`Note: ${plainText(problem)}.`);
}

/** Without a name it is the only cluster. */
async function headOf(client: Client, named: string | undefined): Promise<Server> {
  if (named !== undefined) return findServer(client, named);
  const heads = (await allServers(client)).filter(({ runtime }) => runtime === 'swarm');
  if (heads.length === 1) return heads[0]!;
  if (!heads.length) throw new Failure('there is no cluster; create one with: mooring cluster init <server>');
  throw new UsageError(`choose a cluster with --cluster: ${heads.map(({ name }) => name).join(', ')}`);
}

async function nodeOf(client: Client, named: string, cluster: string | undefined) {
  const head = await headOf(client, cluster);
  const { data } = await unwrap(client.GET('/api/servers/{id}/cluster', { params: { path: { id: head.id } } }));
  const is = ({ id, hostname, serverName }: Node) => [id, hostname, serverName].includes(named);
  const found = data.nodes.filter(is);
  if (found.length > 1)
    throw new Failure(`several nodes are called ${named}; use the id: mooring cluster status --json`);
  const [node] = found;
  const names = data.nodes.map(({ serverName, hostname }) => serverName ?? hostname);
  if (!node)
    throw new Failure(
      `the cluster of ${head.name} has no node ${named}; did you mean ${closestMatch(named, names) ?? names.join(', ')}?`,
    );
  return { node, path: { id: head.id, nodeId: node.id } };
}

export const clusterCommands = [status, init, join, drain, activate, role, changeHead, remove];
