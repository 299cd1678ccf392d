import { execFileSync } from 'node:child_process';
import { type Docker, startDocker } from './docker.ts';
import { entering } from './docker-namespace.ts';

/** Nodes of a Swarm, each an engine in its own network namespace, joined by a bridge. The first is the manager. */
export interface Swarm {
  nodes: Docker[];
  /** Address of a node in the Swarm's network. */
  addressOf(node: Docker): string;
  /** Cuts a node off from the others, or connects it again. */
  setConnected(node: Docker, isConnected: boolean): void;
  close(): Promise<void>;
}

// Engines keep the socket of their Swarm in this folder, whatever their settings say.
export const withOwnRunFolder = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mkdir -p /run/docker && mount -t tmpfs tmpfs /run/docker && exec "$@"',
  'sh',
];

const bridge = 'swarm0';
const subnet = (index: number) => `10.191.7.${index + 1}`;
const pool = { DefaultAddrPool: ['10.190.0.0/16'], SubnetSize: 24 };

/** Makes an engine the only node of a Swarm. */
export const initSwarm = ({ client, namespace: { address } }: Docker, at = address): Promise<unknown> =>
  client.json({
    method: 'POST',
    path: '/swarm/init',
    body: { AdvertiseAddr: at, ListenAddr: `${at}:2377`, ...pool },
  });

/** Without managers, the engines are connected, and in no Swarm yet. */
export async function startSwarm(count: number, managers = 1): Promise<Swarm> {
  const nodes: Docker[] = [];
  const close = async () => {
    // The bridge is in the namespace of the first.
    for (const node of nodes.toReversed()) await node.close();
  };
  try {
    for (let index = 0; index < count; index++) {
      const node = await startDocker(['--insecure-registry=10.0.0.0/8'], 0, withOwnRunFolder);
      nodes.push(node);
      plugIn(nodes[0]!, node, index);
    }
    if (managers) await formSwarm(nodes as [Docker, ...Docker[]], managers);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    addressOf: (node) => subnet(nodes.indexOf(node)),
    setConnected: (node, isConnected) =>
      inside(nodes[0]!, 'ip', 'link', 'set', portOf(nodes.indexOf(node)), isConnected ? 'up' : 'down'),
    close,
  };
}

async function formSwarm([first, ...others]: [Docker, ...Docker[]], managers: number): Promise<void> {
  const at = (index: number) => ({ AdvertiseAddr: subnet(index), ListenAddr: `${subnet(index)}:2377` });
  await initSwarm(first, subnet(0));
  type Tokens = { JoinTokens: { Worker: string; Manager: string } };
  const { JoinTokens } = await first.client.json<Tokens>({ method: 'GET', path: '/swarm' });
  for (const [i, node] of others.entries()) {
    const JoinToken = i + 1 < managers ? JoinTokens.Manager : JoinTokens.Worker;
    const body = { ...at(i + 1), RemoteAddrs: [`${subnet(0)}:2377`], JoinToken };
    await node.client.json({ method: 'POST', path: '/swarm/join', body });
  }
}

const portOf = (index: number): string => `port${index}`;

/** Connects a node to the bridge. */
function plugIn(first: Docker, node: Docker, index: number): void {
  if (node === first) {
    inside(first, 'ip', 'link', 'add', bridge, 'type', 'bridge');
    inside(first, 'ip', 'addr', 'add', `${subnet(0)}/24`, 'dev', bridge);
    inside(first, 'ip', 'link', 'set', bridge, 'up');
    // The engine drops what it does not know.
    inside(first, 'iptables', '-I', 'FORWARD', '-i', bridge, '-o', bridge, '-j', 'ACCEPT');
    return;
  }
  const ends = ['type', 'veth', 'peer', 'name', 'swarm', 'netns', node.namespace.name];
  inside(first, 'ip', 'link', 'add', portOf(index), ...ends);
  inside(first, 'ip', 'link', 'set', portOf(index), 'master', bridge, 'up');
  inside(node, 'ip', 'addr', 'add', `${subnet(index)}/24`, 'dev', 'swarm');
  inside(node, 'ip', 'link', 'set', 'swarm', 'up');
}

function inside(node: Docker, ...command: string[]): void {
  const [enter, ...args] = [...entering(node.namespace), ...command];
  execFileSync(enter!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
