import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { newFacts, packArchive, readFacts } from '../../src/areas/backups/archives/format.ts';
import { createBackupSources } from '../../src/areas/backups/sources/index.ts';
import type { DataOwner, SourceCall, BackupSources } from '../../src/areas/backups/sources/source.ts';
import { KeptContents } from '../../src/areas/deployments/contents/contents.ts';
import { localMachineOnly } from '../../src/areas/deployments/model/machines.ts';
import { configSealLocation, type DeploymentConfig } from '../../src/areas/deployments/model/model.ts';
import type { DeploymentRow } from '../../src/areas/deployments/model/store.ts';
import { Folders, type Parts } from '../../src/areas/deployments/model/parts.ts';
import { stackOf } from '../../src/areas/deployments/model/run-stack.ts';
import {
  newServiceState,
  type ServiceState,
  type Stack,
  stackSealLocation,
  serviceStatesOf,
} from '../../src/areas/deployments/model/stack.ts';
import { prepareRelease } from '../../src/areas/deployments/release/prepare-release.ts';
import { emptyConfig } from '../../src/areas/deployments/stack/read/stack-rig.ts';
import { noDomains } from '../../src/areas/domains/release-names-rig.ts';
import { readServiceEntries, type ServiceEntry } from '../../src/compose/index.ts';
import { createMemoryEdge } from '../../src/drivers/edge/memory.ts';
import { openPortHere } from '../../src/drivers/host/open-port.ts';
import type { ContainerData } from '../../src/drivers/runtime/container-data.ts';
import { createDockerRuntime } from '../../src/drivers/runtime/docker/docker-runtime.ts';
import { engineAt } from '../../src/drivers/runtime/docker/engine/client.ts';
import type { ImageInfo } from '../../src/drivers/runtime/docker/engine/types.ts';
import type { DockerRuntime } from '../../src/drivers/runtime/docker/options.ts';
import type { ArchiveEntry } from '../../src/lib/archive/reader.ts';
import { unpackEntries } from '../../src/lib/archive/unpack.ts';
import { type TestApp, startApp } from './app.ts';
import { newFolder } from './children.ts';
import type { Docker } from './docker.ts';
import { appPorts } from './ports.ts';
import { thingsOf } from './things.ts';

/** Services that run as containers of a real engine, with their rows in a database, and the sources of their data. */
export interface DataServices {
  app: TestApp;
  parts: Parts;
  /** Where everything is, for another process. */
  place: DataPlace;
  runtime: DockerRuntime;
  owner: DataOwner;
  deploymentId: string;
  sources: BackupSources;
  data: ContainerData;
  lines: string[];
  /** Runs a program in a service; returns its output. */
  run(service: string, args: string[], env?: Record<string, string>): Promise<string>;
  call(jobId?: string): SourceCall;
  /** The state of a service's container, as the engine tells it. */
  state(service: string): Promise<string>;
  close(): Promise<void>;
}

export interface DataPlace {
  address: string;
  hostAddress: string;
  folder: string;
  dataDir: string;
  firstPort: number;
}

export function openPlace({ address, hostAddress, folder, dataDir, firstPort }: DataPlace) {
  const runtime = createDockerRuntime({
    connect: engineAt(address),
    folder,
    instanceId: 'ins_data',
    portRange: { from: firstPort, to: firstPort + 9 },
    hostAddress,
  });
  return { runtime, parts: partsOn(runtime, dataDir) };
}

/** `external`: names in the engine of volumes that exist already. */
export async function startDataServices(
  docker: Docker,
  entries: ServiceEntry[],
  external: Record<string, string> = {},
): Promise<DataServices> {
  const app = await startApp();
  const { sealer } = app.instance;
  const { db } = app.database;
  const place = {
    address: docker.address,
    hostAddress: docker.namespace.address,
    folder: newFolder('containers'),
    dataDir: newFolder('data'),
    firstPort: appPorts(),
  };
  const { runtime, parts } = openPlace(place);
  const projectId = await thingsOf(() => app).newProject();
  const id = await thingsOf(() => app).newDeployment(projectId);
  const states = await Promise.all(entries.map((entry) => stateOf(docker, entry, id)));
  const project = readServiceEntries('shop', entries);
  for (const volume of project.volumes) volume.externalName = external[volume.name ?? ''] ?? null;
  const stack = { project, digests: {}, contents: {}, secrets: [], wasAdopted: true as const };
  const row = await activate(app, id, { stack, states, config: emptyConfig });
  const made = { deployment: row, config: emptyConfig, stack: stackOf(sealer, row)!, states: serviceStatesOf(row) };
  for (const { name } of entries) await runtime.start(await prepareRelease(parts, made, name, true));
  const lines: string[] = [];
  const { data } = runtime;
  const signal = new AbortController().signal;
  return {
    app,
    parts,
    place,
    runtime,
    owner: { organizationId: row.organizationId, projectId, environment: row.environment },
    deploymentId: id,
    sources: createBackupSources({ db, kind: app.database.kind, sealer, machines: localMachineOnly(parts) }),
    data,
    lines,
    async run(service, args, env = {}) {
      let output = '';
      const onOutput = (chunk: Buffer) => void (output += chunk.toString());
      const { exitCode, stderr } = await data.exec({ deploymentId: id, service }, { args, env, onOutput, signal });
      if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}: ${stderr}${output}`);
      return output.trim();
    },
    call: (jobId = 'job_1') => ({ signal, jobId, folder: newFolder('job'), say: (line) => lines.push(line) }),
    async state(service) {
      const query = { all: true, filters: { label: [`mooring.service=${service}`, `mooring.project=${projectId}`] } };
      const [found] = await docker.client.json<{ State: string }[]>({ method: 'GET', path: '/containers/json', query });
      return found?.State ?? 'missing';
    },
    async close() {
      await runtime.remove(id);
      await runtime.close();
      await app.close();
    },
  };
}

/** Makes a deployment the active one, with these services. */
export function activate(
  { database: { db }, instance: { sealer } }: TestApp,
  id: string,
  { stack, states, config }: { stack: Stack; states: ServiceState[]; config: DeploymentConfig },
): Promise<DeploymentRow> {
  const set = {
    status: 'ready',
    active: 1,
    config: sealer.seal(JSON.stringify(config), configSealLocation(id)),
    stack: sealer.seal(JSON.stringify(stack), stackSealLocation(id)),
    services: JSON.stringify(states),
  } as const;
  return db.updateTable('deployments').set(set).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
}

async function stateOf({ client }: Docker, { name, image }: ServiceEntry, id: string): Promise<ServiceState> {
  const { Id, Config } = await client.json<ImageInfo>({ method: 'GET', path: `/images/${image}/json` });
  const facts = { isOwn: false, bytes: 1, ports: [], hasHealthcheck: false, port: null };
  const volumes = Object.keys(Config?.Volumes ?? {});
  return {
    ...newServiceState(name),
    status: 'ready',
    change: 'create',
    image: { image: image!, imageId: Id, volumes, ...facts },
    runsOf: id,
  };
}

const partsOn = (runtime: DockerRuntime, dataDir: string): Parts =>
  ({
    instanceId: 'ins_data',
    server: null,
    runtime,
    containers: { services: runtime },
    edge: createMemoryEdge(),
    names: noDomains,
    openPort: openPortHere,
    contents: new KeptContents(dataDir),
    folders: new Folders(join(dataDir)),
    userOf: async () => null,
    mode: 'self-hosted',
    baseDomain: 'apps.example',
    timeouts: { buildMs: 5000, startMs: 5000, promptMs: 5000, engineMs: 5000 },
  }) as unknown as Parts;

/** Backs up a source; returns its archive, which can be restored several times. */
export async function backedUp(
  services: Pick<DataServices, 'sources' | 'owner' | 'call'>,
  ref: Parameters<BackupSources['read']>[1],
  { jobId = 'job_backup', consistency = 'check' as const as 'check' | 'pause' } = {},
) {
  const { sources, owner } = services;
  const file = join(newFolder('archive'), 'archive');
  const facts = newFacts({ mooring: 'test', source: ref, name: 'test', project: 'shop', environment: 'production' });
  let bytes = 0;
  await sources.read(owner, ref, { ...services.call(jobId), consistency }, async (fill) => {
    bytes = await packArchive(file, facts, { recipients: null }, fill);
  });
  return { file, bytes, entries: () => entriesIn(file) };
}

/** Yields the content of an archive that is not encrypted. */
export async function* entriesIn(file: string): AsyncGenerator<ArchiveEntry, void, undefined> {
  yield* (await readFacts(unpackEntries(createReadStream(file), null))).content;
}
