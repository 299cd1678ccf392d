import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import {
  hasTaskEnded,
  isTaskUp,
  type ServiceInfo,
  type ServiceSpec,
  type TaskInfo,
} from '../../runtime/swarm/types.ts';
import { ownHints } from './hints.ts';
import { RegistryError } from './image-registry.ts';
import type { SwarmFileRef } from './registry-spec.ts';

const everyMs = 200;
const startMs = 10 * 60_000;
const unplacedMs = 20_000;
const mostFailures = 3;
const replaceMs = 5 * 60_000;

export const findSwarmService = (engine: EngineClient, name: string): Promise<ServiceInfo | undefined> =>
  undefinedIfGone(engine.json<ServiceInfo>({ method: 'GET', path: `/services/${name}` }));

/** Returns undefined if another replica of Mooring was faster. */
export async function createSwarmService(engine: EngineClient, body: ServiceSpec): Promise<ServiceInfo | undefined> {
  try {
    await engine.json({ method: 'POST', path: '/services/create', body });
  } catch (error) {
    if (error instanceof EngineError && error.status === 409) return undefined;
    throw error;
  }
  return findSwarmService(engine, body.Name);
}

export async function removeSwarmService(engine: EngineClient, { ID }: ServiceInfo): Promise<void> {
  await undefinedIfGone(engine.json({ method: 'DELETE', path: `/services/${ID}` }));
}

/** Newest first. */
export async function tasksOf(engine: EngineClient, service: string): Promise<TaskInfo[]> {
  const call = { method: 'GET', path: '/tasks', query: { filters: { service: [service] } } } as const;
  const tasks = (await undefinedIfGone(engine.json<TaskInfo[]>(call))) ?? [];
  return tasks.toSorted((a, b) => (a.CreatedAt < b.CreatedAt ? 1 : -1));
}

type FileOfSwarm = { kind: 'configs' | 'secrets'; name: string; labels: Record<string, string> };

/** Finds or creates a file of the Swarm. Its content never changes, so its name should depend on it. */
export async function swarmFile(
  engine: EngineClient,
  { kind, name, labels }: FileOfSwarm,
  content: () => Promise<string>,
): Promise<SwarmFileRef> {
  const find = () => undefinedIfGone(engine.json<{ ID: string }>({ method: 'GET', path: `/${kind}/${name}` }));
  const known = await find();
  if (known) return { id: known.ID, name };
  const body = { Name: name, Labels: labels, Data: Buffer.from(await content()).toString('base64') };
  await undefinedIfGone(engine.json({ method: 'POST', path: `/${kind}/create`, body }), [409]);
  return { id: (await find())!.ID, name };
}

/** Waits until a task of the registry runs. Fails once new tasks have failed several times. */
export async function untilRegistryRuns(engine: EngineClient, service: string): Promise<void> {
  const old = new Set((await tasksOf(engine, service)).map(({ ID }) => ID));
  for (const began = Date.now(); ; await sleep(everyMs)) {
    const tasks = await tasksOf(engine, service);
    const wanted = tasks.filter(({ DesiredState }) => DesiredState === 'running');
    if (wanted.some(({ Status }) => Status.State === 'running')) return;
    const failed = tasks.filter((task) => hasTaskEnded(task) && !old.has(task.ID));
    const waitedMs = Date.now() - began;
    const unplaced = waitedMs > unplacedMs && wanted.find(({ Status }) => Status.State === 'pending');
    if (!unplaced && failed.length < mostFailures && waitedMs < startMs) continue;
    const why = taskFailureReason(unplaced || failed[0] || tasks[0]);
    throw new RegistryError(`the registry of Mooring does not start: ${why}`, ownHints.away);
  }
}

/** Waits until all tasks have these settings. */
export async function untilTasksReplaced(engine: EngineClient, service: string, settings: string): Promise<void> {
  for (const giveUp = Date.now() + replaceMs; ; await sleep(everyMs)) {
    const up = (await tasksOf(engine, service)).filter(isTaskUp);
    const isReplaced = ({ Spec, Status }: TaskInfo) => settingsNameIn(Spec) === settings && Status.State === 'running';
    if (up.length && up.every(isReplaced)) return;
    if (Date.now() > giveUp) throw new Error(`the registry was not restarted: ${taskFailureReason(up[0])}`);
  }
}

/** Name of the settings file that a service or task uses. */
export function settingsNameIn({ ContainerSpec }: TaskInfo['Spec']): string | undefined {
  const [config] = (ContainerSpec['Configs'] ?? []) as { ConfigName: string }[];
  return config?.ConfigName;
}

export const taskFailureReason = (task: TaskInfo | undefined): string =>
  task?.Status.Err || task?.Status.Message || task?.Status.State || 'the Swarm does not say why';
