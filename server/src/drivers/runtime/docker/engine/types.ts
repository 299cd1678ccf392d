// The parts of the engine's responses that we read, in its own naming.

export type Labels = Record<string, string>;

export interface ContainerInfo {
  Id: string;
  Name: string;
  /** Id of the running image. */
  Image: string;
  RestartCount: number;
  State: {
    Status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
    OOMKilled: boolean;
    Pid: number;
    ExitCode: number;
    Error: string;
    StartedAt: string;
    FinishedAt: string;
    Health?: { Status: 'none' | 'starting' | 'healthy' | 'unhealthy' };
  };
  Config: {
    Labels: Labels | null;
    Env?: string[] | null;
    Entrypoint?: string[] | null;
    Cmd?: string[] | null;
    User?: string;
    WorkingDir?: string;
    Tty?: boolean;
    StopTimeout?: number;
  };
  HostConfig: {
    CapAdd?: string[] | null;
    CapDrop?: string[] | null;
    Memory: number;
    ReadonlyRootfs: boolean;
    RestartPolicy: { Name: string };
    PortBindings: Record<string, { HostIp: string; HostPort: string }[]> | null;
  };
  Mounts?: { Source?: string; Name?: string; Destination?: string }[] | null;
  /** Keyed by network name; also set for a stopped container. */
  NetworkSettings: { Networks: Record<string, { NetworkID: string; Aliases: string[] | null }> | null };
}

export interface ImageInfo {
  Id: string;
  Config: {
    User?: string;
    Entrypoint?: string[] | null;
    Cmd?: string[] | null;
    Volumes?: Record<string, object> | null;
    WorkingDir?: string;
    /** Durations in nanoseconds. */
    Healthcheck?: { Test?: string[] | null; Interval?: number; StartInterval?: number } | null;
  } | null;
}

export interface NetworkInfo {
  Id: string;
  Name: string;
  Created: string;
  Driver: string;
  Internal: boolean;
  Labels: Labels | null;
  IPAM: { Config: { Subnet?: string }[] | null };
}

export interface VolumeInfo {
  Name: string;
  CreatedAt?: string;
  Mountpoint?: string;
  Driver?: string;
  Options?: Record<string, string> | null;
  Labels: Labels | null;
}

export interface Stats {
  read: string;
  cpu_stats: { cpu_usage: { total_usage: number } };
  memory_stats: { usage?: number; stats?: Record<string, number> };
  networks?: Record<string, { rx_bytes: number; tx_bytes: number }>;
}

export interface EngineEvent {
  Action: string;
  Actor: { ID: string; Attributes: Labels };
  timeNano: number;
}
