import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBackupSources } from '../../src/areas/backups/sources/index.ts';
import { localMachineOnly } from '../../src/areas/deployments/model/machines.ts';
import { Folders, type Parts } from '../../src/areas/deployments/model/parts.ts';
import { newServiceState, type ServiceState, type Stack } from '../../src/areas/deployments/model/stack.ts';
import { insertVolume, selectVolumes } from '../../src/areas/deployments/model/volume-store.ts';
import { withVolumes } from '../../src/areas/deployments/model/volumes.ts';
import { prepareRelease } from '../../src/areas/deployments/release/prepare-release.ts';
import { emptyConfig, emptyRecipe } from '../../src/areas/deployments/stack/read/stack-rig.ts';
import { noDomains } from '../../src/areas/domains/release-names-rig.ts';
import { readServiceEntries } from '../../src/compose/index.ts';
import { createMemoryEdge } from '../../src/drivers/edge/memory.ts';
import { localHost } from '../../src/drivers/host/local.ts';
import { openPortHere } from '../../src/drivers/host/open-port.ts';
import { processRig } from '../../src/drivers/runtime/process/process-rig.ts';
import type { Runtime } from '../../src/drivers/runtime/runtime.ts';
import { NpmRegistry } from '../../src/drivers/toolchain/npm-registry.ts';
import { ToolStore } from '../../src/drivers/toolchain/tool-store.ts';
import { passableFolder } from '../../src/lib/passable-folder.ts';
import { startApp } from './app.ts';
import { newFolder } from './children.ts';
import { activate, type DataServices } from './data-services.ts';
import { appPorts } from './ports.ts';
import { thingsOf } from './things.ts';

/** An app that runs as a process of this machine, with a volume `data` in its folder. */
export interface DataApp extends Pick<DataServices, 'app' | 'parts' | 'owner' | 'sources' | 'lines' | 'call'> {
  deploymentId: string;
  runtime: Runtime;
  /** The volume's folder. */
  folder: string;
  close(): Promise<void>;
}

export async function startDataApp(program: string, variables: Record<string, string> = {}): Promise<DataApp> {
  const app = await startApp();
  const { sealer } = app.instance;
  const { db } = app.database;
  const dataDir = newFolder('data');
  const rig = processRig(dataDir, appPorts());
  const folders = new Folders(dataDir);
  const user = process.getuid?.() === 0 ? { uid: 61_008, gid: 61_008 } : null;
  // The Node of the machine may lack node:sqlite.
  const node = `node@${process.versions.node}` as const;
  const tools = new ToolStore(folders.tools(), new NpmRegistry('http://127.0.0.1:9'));
  await tools.adopt(node, process.execPath);
  const parts = {
    instanceId: rig.options.instanceId,
    server: null,
    runtime: rig.runtime,
    host: localHost(),
    edge: createMemoryEdge(),
    names: noDomains,
    openPort: openPortHere,
    folders,
    tools,
    isolation: rig.options.isolation,
    buildEnvironment: { PATH: process.env['PATH']! },
    userOf: async () => user,
    mode: 'self-hosted',
    baseDomain: 'apps.example',
    timeouts: { buildMs: 5000, startMs: 5000, promptMs: 5000, engineMs: 5000 },
  } as unknown as Parts;
  const projectId = await thingsOf(() => app).newProject();
  const id = await thingsOf(() => app).newDeployment(projectId);
  const { organizationId, environment, artifactId } = await db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const owner = { organizationId, projectId, environment };
  const facts = { overlap: 0, engineId: null, removedAt: null, purge: 0, createdAt: Date.now() };
  await insertVolume(db, { id: 'vol_data', ...owner, name: 'data', path: 'data', service: null, ...facts });
  const stack: Stack = withVolumes(
    {
      project: readServiceEntries('app', [{ name: 'app', image: 'unused' }]),
      digests: { app: id },
      contents: {},
      secrets: [],
      app: { ...emptyRecipe, startCommand: 'node app.cjs' },
    },
    await selectVolumes(db, owner),
  );
  const release = folders.release(artifactId);
  await passableFolder(folders.all());
  for (const folder of [release, folders.home(projectId)]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(release, 'app.cjs'), program);
  const config = {
    ...emptyConfig,
    variables: Object.entries(variables).map(([key, value]) => ({ key, value, secret: true, buildTime: false })),
  };
  const state: ServiceState = {
    ...newServiceState('app'),
    isApp: true,
    status: 'ready',
    runsOf: id,
    folder: { kind: 'folder', bytes: 1, tools: [node] },
  };
  const row = await activate(app, id, { stack, states: [state], config });
  await rig.runtime.start(
    await prepareRelease(parts, { deployment: row, config, stack, states: [state] }, 'app', true),
  );
  const lines: string[] = [];
  const { signal } = new AbortController();
  return {
    app,
    parts,
    owner,
    deploymentId: id,
    runtime: rig.runtime,
    folder: folders.volume(projectId, environment, 'data'),
    sources: createBackupSources({ db, kind: app.database.kind, sealer, machines: localMachineOnly(parts) }),
    lines,
    call: (jobId = 'job_1') => ({ signal, jobId, folder: newFolder('job'), say: (line) => lines.push(line) }),
    async close() {
      await rig.close();
      await app.close();
    },
  };
}
