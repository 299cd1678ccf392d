import type { WriterLog } from '../records/log-writer.ts';
import type { ImageRelease, RunOnce, Runtime, RuntimeEvent, ServiceRuntime } from '../runtime.ts';
import type { ServiceBodyInput } from './service/body.ts';
import type { ReadProc } from './container-sockets.ts';
import type { EngineConnect } from './engine/client.ts';

export interface DockerRuntimeOptions {
  connect: EngineConnect;
  /** Contains logs, ports and locks. */
  folder: string;
  instanceId: string;
  portRange: { from: number; to: number };
  hostAddress?: string;
  /** The engine is on another server: its ports cannot be probed here. */
  isElsewhere?: boolean;
  /** Undefined where the engine's /proc cannot be read. */
  readProc?: ReadProc;
  /** Prepares a release before its container is created; returns the release to use. */
  prepare?: (spec: ImageRelease) => Promise<ImageRelease>;
  /** Prepares a restart, given the host paths that the container mounts. */
  renew?: (whose: Pick<ImageRelease, 'imageId' | 'owner'>, paths: string[]) => Promise<void>;
  /** Limits of our own log files. */
  limits?: { logFileBytes: number; logFiles: number };
  /** Limits of the engine's logs: enough to bridge our downtime. */
  engineLogs?: ServiceBodyInput['engineLogs'];
  /** How long to wait for an unreachable engine. */
  patienceMs?: number;
  onEvent?: (event: RuntimeEvent) => void;
  /** Receives errors that did not fail a call. */
  report?: WriterLog;
}

/** A runtime that watches its engine. */
export interface DockerRuntime extends Runtime, ServiceRuntime {
  runOnce: RunOnce;
  /** Starts to follow the engine's events and to record output. `start` does so too. */
  watch(): void;
  /** Disconnects from the engine. Containers keep running. */
  close(): Promise<void>;
}
