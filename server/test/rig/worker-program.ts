import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { openInstance } from '../../src/db/instance.ts';
import { createBuiltinEdge } from '../../src/drivers/edge/builtin/builtin.ts';
import { createGitHub } from '../../src/drivers/githost/github/github.ts';
import { localHost } from '../../src/drivers/host/local.ts';
import { createProcessRuntime } from '../../src/drivers/runtime/process/process-runtime.ts';
import { fileKeyRing } from '../../src/lib/key-ring.ts';
import { createLog } from '../../src/lib/log.ts';
import { createSealer } from '../../src/lib/seal.ts';
import type { WorkerTask } from './workers.ts';

// A replica as a process that only works on deployments. Unlike the service it shares its folder with others, so that
// one can take over what another has started.
const { name, settings, keyPath, folder, portRange } = JSON.parse(process.argv[2]!) as WorkerTask;
const programs = join(import.meta.dirname, '../../dist');
const database = await openDatabase(settings);
const sealer = createSealer(fileKeyRing(keyPath));
const { id: instanceId } = await openInstance(database.db, sealer);
const edge = createBuiltinEdge({
  dataDir: folder,
  instanceId,
  host: '127.0.0.1',
  port: 0,
  program: join(programs, 'edge.cjs'),
});
const runtime = createProcessRuntime({
  folder: join(folder, 'processes'),
  instanceId,
  program: join(programs, 'supervisor.cjs'),
  portRange,
  isolation: Promise.resolve({ kind: 'none', reason: null }),
});
const app = createApp({
  config: readConfig({ MOORING_DATA_DIR: folder, MOORING_LOG_LEVEL: 'warn' }),
  database,
  sealer,
  instanceId,
  owner: name,
  drivers: {
    host: localHost(),
    runtime,
    edge,
    gitHost: createGitHub({ reach: 'private' }),
    onServer: () => Promise.reject(new Error('there are no servers here')),
    runtimeOnServer: async () => undefined,
    isBound: false,
    watch: () => {},
    close: async () => {},
    isolation: Promise.resolve({ kind: 'none', reason: null }),
    buildEnvironment: { PATH: process.env['PATH'] ?? '' },
    localSources: { roots: [tmpdir()], areConfigured: true },
  },
  log: createLog('warn', 'json'),
  openApiFile: '',
  webFolder: '',
});
await edge.ensure();
await app.deployments.start();
process.stdout.write('works\n');
