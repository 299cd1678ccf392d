import { createHash } from 'node:crypto';
import { instanceLabel, roleLabel, specLabel } from '../../runtime/docker/labels.ts';
import { restartAlways } from '../../runtime/docker/release/restart-policy.ts';
import type { EdgeImage } from './image.ts';
import { dataFolder, keeperProgram, programFolder } from './container-paths.ts';

/** What a change of needs another container. */
export interface ContainerPlan {
  instanceId: string;
  host: string;
  port: number;
}

export const edgeContainerName = (instanceId: string): string => `mooring-edge-${instanceId}`;

/** For an edge that is being replaced by another one, for tens of thousands of visitors, and for what leads to it. Files of sites
 * that the kernel keeps in memory count, too, and make way. */
const memoryBytes = 512 * 1024 * 1024;
const mostProcesses = 256;
const log = { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '3' } };

const keeperCommand = ({ node }: EdgeImage): string[] => [
  node,
  // It keeps little and makes little; the usual room is for programs that serve.
  '--max-semi-space-size=1',
  `${dataFolder}/${programFolder}/${keeperProgram}`,
];

/** The container, confined as far as a program can be that takes the ports of its machine. */
export function containerBody(image: EdgeImage, { instanceId, host, port }: ContainerPlan): object {
  const labels = { [instanceLabel]: instanceId, [roleLabel]: 'edge' };
  const body = {
    Image: image.name,
    Entrypoint: keeperCommand(image),
    Cmd: ['keep', '--instance', instanceId, '--host', host, '--port', String(port)],
    User: '0:0',
    Env: [],
    WorkingDir: '/',
    Healthcheck: { Test: ['NONE'] },
    // Longer than the edge takes to finish what is under way.
    StopTimeout: 10,
    HostConfig: {
      NetworkMode: 'host',
      // An engine that maps users lets nobody else have the network of the machine.
      UsernsMode: 'host',
      RestartPolicy: restartAlways,
      // Reaps what nobody waits for, and hands signals on.
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
      ],
    },
  };
  const spec = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
  return { ...body, Labels: { ...labels, [specLabel]: spec } };
}
