import { type ChildProcess, execFileSync } from 'node:child_process';
import { openSync, closeSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineClient, engineAt } from '../../src/drivers/runtime/docker/engine/client.ts';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { recordFile, removeEngine } from './docker-leftovers.ts';
import { type EngineNamespace, entering, makeNamespace } from './docker-namespace.ts';
import { processesOf, programOf } from './processes.ts';
import { until } from './until.ts';

const settingsFile = 'daemon.json';

/** A Docker engine of one suite: it shares nothing with other engines and leaves nothing behind. */
export interface Docker {
  /** In the form of `DOCKER_HOST`. */
  address: string;
  client: EngineClient;
  /** Its private network. Published ports are reachable at `namespace.address`. */
  namespace: EngineNamespace;
  /** The pid of dockerd. */
  pid(): number;
  /** Starts it again after a stop, with its previous state. */
  start(): Promise<void>;
  /** Stops the engine like an upgrade or (SIGKILL) a crash. It keeps its containers. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Stops and removes everything. */
  close(): Promise<void>;
}

/** Starts an engine in a folder of the run. `more` are additional arguments of dockerd; `diskBytes` gives it its own
 * disk of that size; `within` are words in front of its command. */
export async function startDocker(more: string[] = [], diskBytes = 0, within: string[] = []): Promise<Docker> {
  const folder = newFolder('docker');
  if (diskBytes) mountDisk(join(folder, 'data'), diskBytes);
  writeFileSync(join(folder, settingsFile), '{}');
  const namespace = makeNamespace((made) => writeFileSync(join(folder, recordFile), JSON.stringify(made)));
  const address = `unix://${join(folder, 'docker.sock')}`;
  const client = new EngineClient(engineAt(address));
  let child: ChildProcess;
  const docker: Docker = {
    address,
    client,
    namespace,
    pid: () => child.pid!,
    async start() {
      const log = openSync(join(folder, 'log'), 'a');
      const [enter, ...args] = [
        ...entering(namespace),
        ...within,
        'dockerd',
        ...argumentsFor(folder, namespace),
        ...more,
      ];
      child = spawnRecorded(enter!, args, { stdio: ['ignore', log, log], env: { PATH: programPath(), HOME: folder } });
      closeSync(log);
      await Promise.race([until('the engine answers', () => answers(client), 90_000), ended(child, folder)]);
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited(child);
      // containerd ends shortly after the engine that started it. The next engine must not mistake it for alive.
      const containerd = () => processesOf(folder).filter((pid) => programOf(pid) === 'containerd');
      await until('its containerd has ended', () => !containerd().length);
      rmSync(join(folder, 'exec/containerd/containerd.pid'), { force: true });
    },
    async close() {
      client.close();
      if (child.exitCode === null && child.signalCode === null) await docker.stop('SIGKILL');
      removeEngine(folder);
    },
  };
  try {
    await docker.start();
  } catch (error) {
    await docker.close();
    throw error;
  }
  return docker;
}

function mountDisk(folder: string, bytes: number): void {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

async function answers(client: EngineClient): Promise<true> {
  await client.ping();
  return true;
}

async function ended(child: ChildProcess, folder: string): Promise<never> {
  const code = await exited(child);
  throw new Error(`dockerd ended with ${code}: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2000)}`);
}

/** To use another engine than the machine's, unpack its packages anywhere and set the folder of its programs. */
const programPath = (): string =>
  [process.env['MOORING_TEST_DOCKER_PROGRAMS'], process.env['PATH'], '/usr/sbin:/usr/bin:/sbin:/bin']
    .filter(Boolean)
    .join(':');

const argumentsFor = (folder: string, { name, bridge, networks, mtu }: EngineNamespace): string[] => [
  `--host=unix://${join(folder, 'docker.sock')}`,
  `--data-root=${join(folder, 'data')}`,
  `--exec-root=${join(folder, 'exec')}`,
  `--pidfile=${join(folder, 'pid')}`,
  // Ignores the machine's own configuration.
  `--config-file=${join(folder, settingsFile)}`,
  `--bip=${bridge}`,
  `--default-address-pool=base=${networks},size=24`,
  `--mtu=${mtu}`,
  `--cgroup-parent=/${name}`,
  '--exec-opt=native.cgroupdriver=cgroupfs',
  '--storage-driver=overlay2',
  '--insecure-registry=127.0.0.0/8',
  '--shutdown-timeout=5',
  '--log-level=warn',
];
