import type { Instance, InstanceState } from '../runtime.ts';
import { signalOf } from '../docker/instance-view.ts';
import { healthLabel, imageIdLabel, imageLabel, reachedLabel } from '../docker/labels.ts';
import type { OwnService } from './own-services.ts';
import { hasTaskEnded, isTaskUp, type SecretUse, type ServiceSpec, type TaskInfo } from './types.ts';

/** Converts a Swarm service and its tasks to an `Instance`. */
export function serviceView({ info, owner, tasks }: OwnService): Instance {
  const { Spec } = info;
  const current = currentTask(Spec, tasks);
  const ended = tasks.filter((task) => hasTaskEnded(task) && isOfSpec(Spec, task));
  const state = stateOf(Spec, current, ended);
  const exitCode = state === 'running' ? null : (ended[0]?.Status.ContainerStatus?.ExitCode ?? null);
  const pid = current?.Status.ContainerStatus?.PID;
  const health = healthOf(Spec, current);
  return {
    id: info.ID,
    owner,
    state,
    ...addressOf(Spec),
    startedAt: current ? Date.parse(current.Status.Timestamp) : null,
    restarts: ended.length,
    exitCode,
    exitSignal: exitCode === null ? null : signalOf(exitCode),
    ...(pid && { pid }),
    image: Spec.Labels[imageLabel] ?? Spec.TaskTemplate.ContainerSpec.Image,
    imageId: Spec.Labels[imageIdLabel] ?? '',
    ...(health && { health }),
    notices: [],
  };
}

/** Its running task, if it has one of the current settings. */
export function currentTask(spec: ServiceSpec, tasks: readonly TaskInfo[]): TaskInfo | undefined {
  // With a health check, a task that runs is starting until the check succeeds.
  const isRunning = (task: TaskInfo) => (hasHealthCheck(spec) ? isTaskUp(task) : task.Status.State === 'running');
  return specReplicas(spec) ? tasks.find((task) => isRunning(task) && isOfSpec(spec, task)) : undefined;
}

/** Ids of its networks. */
export const networkIdsOf = ({ TaskTemplate: { Networks } }: ServiceSpec): string[] =>
  (Networks ?? []).map(({ Target }) => Target);

export const secretUsesOf = ({ TaskTemplate: { ContainerSpec } }: ServiceSpec): SecretUse[] =>
  ContainerSpec.Secrets ?? [];

export const specReplicas = ({ Mode }: ServiceSpec): number => Mode.Replicated.Replicas;

/** Whether the task was created for these settings, not for earlier ones. */
export function isOfSpec(spec: ServiceSpec, { Spec }: TaskInfo): boolean {
  const wanted = spec.TaskTemplate;
  const isSame = (name: string) => Spec.ContainerSpec.Labels?.[name] === wanted.ContainerSpec.Labels?.[name];
  return (Spec.ForceUpdate ?? 0) === (wanted.ForceUpdate ?? 0) && isSame('mooring.fence') && isSame('mooring.spec');
}

function stateOf(spec: ServiceSpec, current: TaskInfo | undefined, ended: TaskInfo[]): InstanceState {
  if (current) return 'running';
  const { Condition } = (spec.TaskTemplate['RestartPolicy'] ?? {}) as { Condition?: string };
  const isFinal = Condition === 'none' || (Condition === 'on-failure' && ended[0]?.Status.State === 'complete');
  return !specReplicas(spec) || (isFinal && ended.length) ? 'exited' : 'restarting';
}

export const hasHealthCheck = ({ Labels }: ServiceSpec): boolean => healthLabel in Labels;

/** Swarm calls a task running once its health check succeeds, and replaces one whose check fails. */
function healthOf(spec: ServiceSpec, current: TaskInfo | undefined): Instance['health'] {
  if (!current || !hasHealthCheck(spec)) return undefined;
  return current.Status.State === 'starting' ? 'starting' : 'healthy';
}

function addressOf({ Labels }: ServiceSpec): { host: string; port: number } {
  const reached = Labels[reachedLabel] ?? ':0';
  const end = reached.lastIndexOf(':');
  return { host: reached.slice(0, end), port: Number(reached.slice(end + 1)) };
}
