import type { WriterLog } from '../records/log-writer.ts';
import type { ImageRelease, RunOnce, Runtime, RuntimeEvent, ServiceRuntime } from '../runtime.ts';
import type { ServicePlace } from './service/body.ts';
import type { ReadProc } from './container-sockets.ts';
import type { EngineConnect } from './engine/client.ts';

export interface DockerRuntimeOptions {
  connect: EngineConnect;
  /** Logs, ports and locks are below it. */
  folder: string;
  instanceId: string;
  portRange: { from: number; to: number };
  hostAddress?: string;
  /** The engine is on another machine: its ports are not ours to try. */
  isElsewhere?: boolean;
  /** Undefined where the engine's machine cannot be looked into. */
  readProc?: ReadProc;
  /** What has to happen before a container can be made of a release, and what it is made of then. */
  prepare?: (spec: ImageRelease) => Promise<ImageRelease>;
  /** The same before one is started again, with the paths of the machine that it sees. */
  renew?: (whose: Pick<ImageRelease, 'imageId' | 'owner'>, paths: string[]) => Promise<void>;
  /** What is kept of an app's output, by us. */
  limits?: { logFileBytes: number; logFiles: number };
  /** What the engine keeps of it: enough to bridge the time that we are away. */
  engineLogs?: ServicePlace['engineLogs'];
  /** How long an engine that went away is waited for. */
  patienceMs?: number;
  onEvent?: (event: RuntimeEvent) => void;
  /** Told of what went wrong without keeping the call from its end. */
  report?: WriterLog;
}

/** A runtime that watches its engine. */
export interface DockerRuntime extends Runtime, ServiceRuntime {
  runOnce: RunOnce;
  /** Begins to follow the engine's events and to record output: once the service is up. A start does it too. */
  watch(): void;
  /** Lets go of the engine. What runs goes on. */
  close(): Promise<void>;
}
