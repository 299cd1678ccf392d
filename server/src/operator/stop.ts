import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { Db } from '../db/database.ts';
import { EngineAwayError } from '../drivers/runtime/errors.ts';
import type { Runtime } from '../drivers/runtime/runtime.ts';
import { StartError } from '../errors.ts';
import { readNotice } from '../lib/data-dir.ts';
import { localDrivers } from '../local-drivers.ts';

const edgeAnswersMs = 300;

type Environment = Record<string, string | undefined>;

/** Stops the service, then the edge and the apps of this data folder, which outlive it. */
export async function stopEverything(db: Db, config: Config, environment: Environment): Promise<string> {
  const { id } = await db.selectFrom('instance').select('id').executeTakeFirstOrThrow();
  return stopInstance({ id, builds: await heldDeployments(db) }, config, environment);
}

/** Deployments that a service works on. A killed service leaves its builds running. */
export async function heldDeployments(db: Db): Promise<string[]> {
  const held = await db.selectFrom('deployments').select('id').where('leaseOwner', 'is not', null).execute();
  return held.map(({ id }) => id);
}

export type RunningInstance = { id: string; builds: string[] };

export async function stopInstance(
  { id, builds }: RunningInstance,
  config: Config,
  environment: Environment,
): Promise<string> {
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const log = { info: say, warn: say };
  // Stopping sends no images.
  const noPassword = () => Promise.reject(new Error('the password of the registry is not read here'));
  const isolation = Promise.resolve({ kind: 'refused', reason: 'nothing starts here' } as const);
  const drivers = await localDrivers(config, id, isolation, environment, log, noPassword);
  const { edge, runtime, host } = drivers;
  const service = await stopService(config.dataDir);
  for (const build of builds) await host.endWork(build);
  // If the engine does not respond, still stop the edge.
  const apps = await stopApps(runtime).catch((error: unknown) => {
    if (error instanceof EngineAwayError) return error;
    throw error;
  });
  // Unlike other calls, this does not start an edge.
  const hadEdge = await Promise.race([edge.gone().then(() => false), sleep(edgeAnswersMs, true)]);
  await edge.stop();
  await drivers.close();
  const ended = [service, hadEdge && 'the edge', apps instanceof Error ? '' : apps].filter(Boolean).join(', ');
  const stopped = ended ? `Stopped ${ended}.` : 'Nothing was running.';
  if (apps instanceof Error)
    throw new StartError(`${ended && `${stopped} `}The apps keep running: ${apps.message}. Is DOCKER_HOST right?`);
  return ended ? `${stopped} Deployed apps start again with Mooring.` : stopped;
}

async function stopApps(runtime: Runtime): Promise<string> {
  const running = (await runtime.list()).filter(({ state }) => state !== 'exited' && state !== 'missing');
  for (const { owner } of running) await runtime.stop(owner.deploymentId, 10_000);
  return running.length ? `${running.length} ${running.length === 1 ? 'app' : 'apps'}` : '';
}

async function stopService(dataDir: string): Promise<string> {
  const notice = readNotice(dataDir);
  if (!notice || !isService(notice.pid)) return '';
  // The second signal ends its draining: it would start the apps again that we stop.
  for (const end = Date.now() + 6000; Date.now() < end && isService(notice.pid); await sleep(500))
    process.kill(notice.pid, 'SIGTERM');
  return 'the service';
}

/** Checks the command line, because after a kill -9 the PID may belong to another program. */
function isService(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js');
  } catch {
    return false;
  }
}
