import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ProcessEnvironment } from '../areas/instance/port.ts';
import { BuildWorker } from '../areas/deployments/workers/build-worker.ts';
import type { Worker } from '../areas/deployments/workers/worker-store.ts';
import { type Config, readConfig } from '../config.ts';
import { containerEngine } from '../container-engine.ts';
import { openDatabase } from '../db/database.ts';
import { workerConnections } from './postgres-tools.ts';
import { hasInstance, openInstance } from '../db/instance.ts';
import { StartError } from '../errors.ts';
import { instanceKeys } from '../instance-keys.ts';
import { lockDataDir } from '../lib/data-dir.ts';
import { replicaId } from '../lib/replica-id.ts';
import { createSealer } from '../lib/seal.ts';
import { proxiesIn } from '../local-drivers.ts';
import { version } from '../version.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Builds images for the replicas of an instance until it is stopped. */
export async function runWorker(environment: ProcessEnvironment, args: string[]): Promise<void> {
  const config = workerConfig(environment, args);
  if (!config.databaseUrl || !config.secretKey)
    throw new StartError('a build worker needs DATABASE_URL and MOORING_SECRET_KEY, the same as the replicas have');
  // Apart from a replica on the same machine.
  const folder = join(config.dataDir, 'worker');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockDataDir(folder, say);
  // The replicas migrate it: they may be older.
  const url = new URL(config.databaseUrl);
  url.searchParams.set('application_name', workerConnections);
  const { db, kind } = await openDatabase({ ...config, databaseUrl: url.href, warn: say, migrates: false });
  const sealer = createSealer(instanceKeys(config));
  if (!(await hasInstance(db).catch(notReady))) notReady();
  const { id: instanceId } = await openInstance(db, sealer);
  const own = { ...config, dataDir: folder, runtime: 'docker' as const };
  const heard = {
    onEvent: () => {},
    report: (what: string, error: unknown) => say(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  };
  const engine = await containerEngine(
    own,
    instanceId,
    proxiesIn(environment),
    heard,
    undefined,
    config.workerPlatforms,
  );
  const { images } = engine!;
  const platforms = config.workerPlatforms.length ? config.workerPlatforms : [await images.platform()];
  const { workerName: name, workerLabels: labels } = config;
  const worker: Worker = { id: replicaId(folder), name, platforms, labels, version };
  const building = new BuildWorker({
    db,
    kind,
    sealer,
    images,
    mode: config.mode,
    worker,
    folder: join(folder, 'builds'),
    atOnce: config.buildsAtOnce,
    cacheBytes: config.buildCacheMb * 1_000_000,
    say,
  });
  await building.start().catch(notReady);
  say(`The build worker ${name} is ready: ${[...platforms, ...labels].join(', ')}, ${config.buildsAtOnce} at once`);
  await stopped();
  say('The build worker is stopping; another one continues its builds');
  setTimeout(() => process.exit(1), 10_000).unref();
  await building.stop();
  await engine!.close();
  await db.destroy();
  lock.release();
}

function workerConfig(environment: ProcessEnvironment, args: string[]): Config {
  const text = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({ args, options: { name: { type: 'string' }, label: text, platform: text } });
  const given = {
    ...(values.name !== undefined && { MOORING_WORKER_NAME: values.name }),
    ...(values.label && { MOORING_WORKER_LABELS: values.label.join(',') }),
    ...(values.platform && { MOORING_WORKER_PLATFORMS: values.platform.join(',') }),
  };
  return readConfig({ ...environment, ...given });
}

function notReady(error?: Error): never {
  // PostgreSQL: a table is missing.
  if (error && (error as { code?: string }).code !== '42P01') throw error;
  throw new StartError('there is no instance of this version in DATABASE_URL; start or update its replicas first');
}

const stopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
    // Keep building when stdout is closed.
    process.stdout.on('error', () => {});
  });
