import type { Labels } from '../docker/engine/types.ts';

// The parts of Swarm's objects that we read, in the engine's naming.

/** A secret as a file of a container. */
export interface SecretUse {
  SecretID: string;
  SecretName: string;
  /** The name is a path. */
  File: { Name: string; UID: string; GID: string; Mode: number };
}

export interface TaskSpec {
  ContainerSpec: { Image: string; Labels?: Labels | null; Secrets?: SecretUse[] | null; [field: string]: unknown };
  Placement?: { Constraints?: string[] | null };
  Networks?: { Target: string; Aliases?: string[] }[];
  /** Counts up to replace tasks whose settings are unchanged. */
  ForceUpdate?: number;
  [field: string]: unknown;
}

export interface ServiceSpec {
  Name: string;
  Labels: Labels;
  TaskTemplate: TaskSpec;
  Mode: { Replicated: { Replicas: number } };
  [field: string]: unknown;
}

export interface ServiceInfo {
  ID: string;
  /** Changes with each update; an update of an older version is refused. */
  Version: { Index: number };
  UpdatedAt?: string;
  Spec: ServiceSpec;
}

/** In the order in which a task passes them. */
const states = [
  ...(['new', 'pending', 'assigned', 'accepted', 'preparing', 'ready', 'starting', 'running'] as const),
  ...(['complete', 'shutdown', 'failed', 'rejected', 'remove', 'orphaned'] as const),
];
export type TaskState = (typeof states)[number];

export interface TaskInfo {
  ID: string;
  ServiceID: string;
  NodeID?: string;
  CreatedAt: string;
  DesiredState: TaskState;
  Status: {
    Timestamp: string;
    State: TaskState;
    Message?: string;
    Err?: string;
    ContainerStatus?: { ContainerID?: string; PID?: number; ExitCode?: number };
  };
  Spec: TaskSpec;
}

export interface NodeInfo {
  ID: string;
  Version: { Index: number };
  Spec: { Labels: Labels | null; Role: 'worker' | 'manager'; Availability: 'active' | 'pause' | 'drain' };
  Description: {
    Hostname: string;
    Platform?: { Architecture: string };
    Engine?: { EngineVersion: string };
  };
  ManagerStatus?: { Leader?: boolean; Reachability: string; Addr: string };
  Status: { State: 'ready' | 'down' | 'unknown' | 'disconnected'; Addr?: string };
}

/** Whether its container exists and may run. */
export const isTaskUp = ({ Status: { State } }: TaskInfo): boolean => State === 'running' || State === 'starting';

export const hasTaskEnded = ({ Status: { State } }: TaskInfo): boolean =>
  states.indexOf(State) > states.indexOf('running');
