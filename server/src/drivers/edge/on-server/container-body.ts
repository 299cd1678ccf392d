import { createHash } from 'node:crypto';
import { instanceLabel, roleLabel, specLabel } from '../../runtime/docker/labels.ts';
import { restartAlways } from '../../runtime/docker/release/restart-policy.ts';
import type { EdgeImage } from './image.ts';
import { dataFolder, keeperProgram, programFolder } from './container-paths.ts';

/** Settings whose change requires a new container. */
export interface ContainerPlan {
  instanceId: string;
  host: string;
  port: number;
  /** In a network of its own, which it shares with the services of a Swarm. Undefined: in the host's network. */
  published?: {
    tlsPort: number;
    /** Folder of the service's socket. */
    socketFolder?: string;
    relay?: EdgeRelay | undefined;
  };
}

/** A port of the node's loopback that leads to a port in a network that the edge has joined. */
export interface EdgeRelay {
  port: number;
  host: string;
  targetPort: number;
}

export const edgeContainerName = (instanceId: string): string => `mooring-edge-${instanceId}`;

/** Covers two edges during a hand-over, tens of thousands of connections and the bridges. Page cache of served sites
 * counts too, but is evicted. */
const memoryBytes = 512 * 1024 * 1024;
const mostProcesses = 256;
const log = { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '3' } };

const keeperCommand = ({ node }: EdgeImage): string[] => [
  node,
  // The keeper allocates little; the default is for programs that serve.
  '--max-semi-space-size=1',
  `${dataFolder}/${programFolder}/${keeperProgram}`,
];

/** Returns the container, confined as far as its network allows. */
export function containerBody(image: EdgeImage, plan: ContainerPlan): object {
  const { instanceId, host, port, published } = plan;
  const { relay } = published ?? {};
  const labels = { [instanceLabel]: instanceId, [roleLabel]: 'edge' };
  const body = {
    Image: image.name,
    Entrypoint: keeperCommand(image),
    Cmd: ['keep', '--instance', instanceId, '--host', published ? '0.0.0.0' : host, '--port', String(port)].concat(
      relay ? ['--relay', [relay.port, relay.host, relay.targetPort].join(':')] : [],
    ),
    User: '0:0',
    Env: [],
    WorkingDir: '/',
    Healthcheck: { Test: ['NONE'] },
    // Longer than the edge takes to finish requests in flight.
    StopTimeout: 10,
    ...(published && {
      ExposedPorts: Object.fromEntries(
        [port, published.tlsPort, ...(relay ? [relay.port] : [])].map((each) => [`${each}/tcp`, {}]),
      ),
    }),
    HostConfig: {
      ...networkOf(plan),
      RestartPolicy: restartAlways,
      // Reaps orphans and forwards signals.
      Init: true,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      CapAdd: ['NET_BIND_SERVICE'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: mostProcesses,
      Memory: memoryBytes,
      MemorySwap: memoryBytes,
      LogConfig: log,
      Tmpfs: { '/tmp': 'rw,noexec,nosuid,nodev,size=16m,mode=0700' },
      Mounts: [
        {
          Type: 'volume',
          Source: edgeContainerName(instanceId),
          Target: dataFolder,
          VolumeOptions: { Labels: labels },
        },
        ...(published?.socketFolder
          ? [{ Type: 'bind', Source: published.socketFolder, Target: published.socketFolder }]
          : []),
      ],
    },
  };
  const spec = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
  return { ...body, Labels: { ...labels, [specLabel]: spec } };
}

function networkOf({ host, port, published }: ContainerPlan): object {
  // An engine with user namespaces allows the host network only this way.
  if (!published) return { NetworkMode: 'host', UsernsMode: 'host' };
  const { tlsPort, relay } = published;
  const bound = (each: number, HostIp: string) => [`${each}/tcp`, [{ HostIp, HostPort: String(each) }]];
  const ports = [bound(port, host), bound(tlsPort, host), ...(relay ? [bound(relay.port, '127.0.0.1')] : [])];
  return { PortBindings: Object.fromEntries(ports) };
}
