import { constants } from 'node:os';
import type { Instance, InstanceState } from '../runtime.ts';
import type { ContainerInfo } from './engine/types.ts';
import { imageLabel, isStackLabelled, reachedLabel } from './labels.ts';
import type { OwnContainer } from './own-containers.ts';

/** Converts the engine's container info to an `Instance`. */
export function containerView({ info, owner }: OwnContainer, notices: string[]): Instance {
  const { State, RestartCount } = info;
  const state = stateOf(info);
  const exitCode = exitCodeOf(info, state);
  const health = State.Health?.Status;
  return {
    id: info.Id,
    owner,
    state,
    ...publishedAt(info),
    startedAt: timeOf(State.StartedAt),
    restarts: RestartCount,
    exitCode,
    exitSignal: exitCode === null ? null : signalOf(exitCode),
    ...(State.Pid > 0 && { pid: State.Pid }),
    image: info.Config.Labels?.[imageLabel] ?? info.Image,
    imageId: info.Image,
    ...(health && health !== 'none' && { health }),
    notices,
  };
}

/** Returns the local address of the container: the one it was created with, whether it runs or not. */
export function publishedAt({ Config, HostConfig: { PortBindings } }: ContainerInfo): { host: string; port: number } {
  const reached = isStackLabelled(Config.Labels) ? Config.Labels?.[reachedLabel] : undefined;
  if (reached !== undefined) {
    const end = reached.lastIndexOf(':');
    return { host: reached.slice(0, end), port: Number(reached.slice(end + 1)) };
  }
  const binding = Object.values(PortBindings ?? {})[0]?.[0];
  return { host: binding?.HostIp || '127.0.0.1', port: Number(binding?.HostPort ?? 0) };
}

function stateOf({ State: { Status } }: ContainerInfo): InstanceState {
  if (Status === 'running' || Status === 'paused') return 'running';
  if (Status === 'restarting') return 'restarting';
  return Status === 'created' || Status === 'exited' ? 'exited' : 'missing';
}

/** A running container reports a meaningless 0. */
function exitCodeOf({ State: { Status, ExitCode } }: ContainerInfo, state: InstanceState): number | null {
  if (state === 'running' || (Status === 'created' && ExitCode === 0)) return null;
  return ExitCode;
}

/** A process killed by a signal exits with 128 plus the signal number. */
export function signalOf(exitCode: number): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128);
  return found?.[0] ?? null;
}

function timeOf(time: string): number | null {
  const ms = Date.parse(time);
  // The engine writes the year 1 for never.
  return ms > 0 ? ms : null;
}
