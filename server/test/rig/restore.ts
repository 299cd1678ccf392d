import { startApp, type TestApp } from './app.ts';
import { newFolder } from './children.ts';
import { thingsOf } from './things.ts';
import { readServiceEntries, type ServiceEntry } from '../../src/compose/index.ts';
import { createMemoryEdge } from '../../src/drivers/edge/memory.ts';
import { noDomains } from '../../src/areas/domains/release-names-rig.ts';
import { openPortHere } from '../../src/drivers/host/open-port.ts';
import {
  createMemoryRuntime,
  type MemoryRuntime,
  type MemoryRuntimeOptions,
} from '../../src/drivers/runtime/memory.ts';
import { EventLog } from '../../src/events/event-log.ts';
import { Journal } from '../../src/areas/deployments/engine/journal.ts';
import { configSealLocation, type DeploymentConfig } from '../../src/areas/deployments/model/model.ts';
import type { Parts } from '../../src/areas/deployments/model/parts.ts';
import type { StepContext } from '../../src/areas/deployments/model/step.ts';
import type { DeploymentRow } from '../../src/areas/deployments/model/store.ts';
import { KeptContents } from '../../src/areas/deployments/contents/contents.ts';
import {
  newServiceState,
  type ServiceImage,
  type ServiceState,
  type Stack,
  stackSealLocation,
  serviceStatesOf,
} from '../../src/areas/deployments/model/stack.ts';
import { prepareRelease } from '../../src/areas/deployments/release/prepare-release.ts';
import { RunStack, stackOf } from '../../src/areas/deployments/model/run-stack.ts';
import { emptyConfig } from '../../src/areas/deployments/stack/read/stack-rig.ts';

const imageOf = (imageId: string): ServiceImage => ({
  image: 'some',
  imageId,
  isOwn: true,
  bytes: 1,
  ports: [],
  volumes: [],
  hasHealthcheck: false,
  port: null,
});

export type Version = { entries: ServiceEntry[]; version: string; config?: Partial<DeploymentConfig> };

/** A release of several services, and a newer deployment that has replaced all of them. */
export interface Restored {
  app: TestApp;
  runtime: MemoryRuntime;
  context: StepContext;
  before: string;
  after: string;
  /** The stored state of a deployment. */
  noted(id: string): Promise<{ stack: Stack; states: ServiceState[] }>;
}

const madeOf = ({ entries, version }: Version): Stack => ({
  project: readServiceEntries('shop', entries),
  digests: Object.fromEntries(entries.map(({ name }) => [name, `${name} ${version}`])),
  contents: { 'app.conf': version.padEnd(64, '0') },
  secrets: [version],
});

/** `change` is how the services were replaced; the containers of the previous version are stopped. */
export async function exchanged(
  old: Version,
  now: Version,
  change: Partial<ServiceState> | ((name: string) => Partial<ServiceState>),
  { onStart }: MemoryRuntimeOptions = {},
): Promise<Restored> {
  const app = await startApp();
  const projectId = await thingsOf(() => app).newProject();
  const runtime = createMemoryRuntime(onStart && { onStart });
  const parts = partsOn(runtime);
  const older = await written(app, projectId, old, { status: 'ready', active: 1 }, () => ({ change: 'create' }));
  const how = (name: string) => ({
    change: 'replace' as const,
    before: older.id,
    ...(typeof change === 'function' ? change(name) : change),
  });
  const newer = await written(app, projectId, now, { status: 'deploying' }, how);
  const { sealer } = app.instance;
  for (const [deployment, made] of [[older, old] as const, [newer, now] as const]) {
    const config = { ...emptyConfig, ...made.config };
    const on = { deployment, config, stack: stackOf(sealer, deployment)!, states: serviceStatesOf(deployment) };
    for (const { name } of made.entries) await runtime.start(await prepareRelease(parts, on, name, true));
  }
  await runtime.stop(older.id, 0);
  const noted = async (id: string) => {
    const query = app.database.db.selectFrom('deployments').selectAll().where('id', '=', id);
    const row = await query.executeTakeFirstOrThrow();
    return { stack: stackOf(sealer, row)!, states: serviceStatesOf(row) };
  };
  const context = contextOf(app, parts, newer, { ...emptyConfig, ...now.config });
  return { app, runtime, context, before: older.id, after: newer.id, noted };
}

/** A deployment whose services are all running. */
async function written(
  app: TestApp,
  projectId: string,
  made: Version,
  columns: Pick<DeploymentRow, 'status'> & { active?: number },
  more: (name: string) => Partial<ServiceState>,
): Promise<DeploymentRow> {
  const { sealer } = app.instance;
  const id = await thingsOf(() => app).newDeployment(projectId);
  const image = imageOf(`sha256:${made.version}`);
  const states = made.entries.map(({ name }): ServiceState => {
    return { ...newServiceState(name), status: 'ready', image, runsOf: id, ...more(name) };
  });
  const set = {
    ...columns,
    config: sealer.seal(JSON.stringify({ ...emptyConfig, ...made.config }), configSealLocation(id)),
    stack: sealer.seal(JSON.stringify(madeOf(made)), stackSealLocation(id)),
    services: JSON.stringify(states),
  };
  const query = app.database.db.updateTable('deployments').set(set).where('id', '=', id);
  return query.returningAll().executeTakeFirstOrThrow();
}

/** The dependencies of restoring services. */
const partsOn = (runtime: MemoryRuntime): Parts =>
  ({
    instanceId: 'test',
    runtime,
    containers: { services: runtime },
    edge: createMemoryEdge(),
    names: noDomains,
    openPort: openPortHere,
    contents: new KeptContents(newFolder('data')),
    mode: 'self-hosted',
    baseDomain: 'apps.example',
    timeouts: { buildMs: 5000, startMs: 5000, promptMs: 5000, engineMs: 5000 },
  }) as unknown as Parts;

function contextOf(app: TestApp, parts: Parts, deployment: DeploymentRow, config: DeploymentConfig): StepContext {
  const { db } = app.database;
  const { sealer } = app.instance;
  const journal = new Journal(db, new EventLog(db), deployment);
  return {
    deployment,
    config,
    parts,
    db,
    results: {},
    attempt: 1,
    signal: new AbortController().signal,
    log: () => {},
    phase: async () => {},
    stack: new RunStack({
      sealer,
      journal,
      deployment,
      secrets: [],
      routesBefore: async () => [],
      volumes: async () => [],
      scale: async () => undefined,
    }),
    checkLease: async () => {},
    ask: async () => 'cancel',
  };
}
