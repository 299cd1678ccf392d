import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '../../../lib/lock-file.ts';
import type { Edge } from '../edge.ts';
import { ControlClient, EdgeNotRunningError } from './control/client.ts';
import { controlledEdge, type EdgeStarter } from './control/edge.ts';
import { type EdgeSettings, edgeFilesOf, fingerprint, type EdgePortSettings } from './protocol.ts';
import { startProcess } from './process/start.ts';

/** Linux allows 107 bytes, other systems a few less. */
const longestSocketPath = 100;
const lockMs = 20_000;
const stopMs = 8000;

type Options = EdgeSettings &
  Partial<EdgePortSettings> & {
    /** Path of the edge's bundle. */
    program: string;
    /** Addresses and ranges of proxies whose forwarded headers are trusted. Undefined: keep the current ones. */
    trustedProxies?: readonly string[] | undefined;
    /** Maximum number of open connections, and of open requests, per client address. */
    perAddress?: number | undefined;
    /** Number of processes that serve requests; 0: as many as fit the machine. */
    workers?: number | undefined;
  };

export interface BuiltinEdge extends Edge {
  /** Returns the process id of the running edge, or null. */
  pid(): Promise<number | null>;
}

/** Returns the driver of the edge that needs nothing installed: a process of our own, found by its socket in the data
 * folder. */
export function createBuiltinEdge(options: Options): BuiltinEdge {
  const {
    program,
    trustedProxies,
    perAddress,
    workers,
    tlsPort = 0,
    publicPort = null,
    publicTlsPort = null,
    ...settings
  } = options;
  const ports: EdgePortSettings = { tlsPort, publicPort, publicTlsPort };
  const files = edgeFilesOf(settings.dataDir);
  if (Buffer.byteLength(files.socket) > longestSocketPath)
    throw new Error(
      `the path ${files.socket} is too long for a socket (${longestSocketPath} bytes); choose a shorter MOORING_DATA_DIR`,
    );
  const client = new ControlClient(files.socket, settings.instanceId);
  const starter: EdgeStarter = {
    program: () => fingerprint(program),
    log: files.log,
    alone: (work) => alone(files.lock, work),
    async start() {
      const child = await startProcess({ execPath: process.execPath, program, settings });
      child.disconnect();
      child.unref();
    },
    handOver: async () => void (await client.call('POST', '/hand-over', { execPath: process.execPath, program })),
    end: () => end(client),
  };
  return {
    ...controlledEdge({ kind: 'builtin', client, starter, settings, ports, trustedProxies, perAddress, workers }),
    pid: async () => (await client.hello())?.pid ?? null,
  };
}

/** Stops the edge and waits for its exit: the connection closes with the process. */
async function end(client: ControlClient): Promise<void> {
  const found = await client.hello();
  if (!found) return;
  try {
    await client.call('POST', '/stop', undefined, stopMs);
  } catch (error) {
    if (error instanceof EdgeNotRunningError) return;
    // The edge answered a moment ago, so the pid has not been reused.
    process.kill(found.pid, 'SIGKILL');
  }
}

/** Runs `work` while no other process that uses this data folder starts or stops an edge. */
async function alone<T>(lockPath: string, work: () => Promise<T>): Promise<T> {
  const end = Date.now() + lockMs;
  for (;;) {
    let busy = false;
    try {
      const lock = lockFile(lockPath, () => {
        busy = true;
        return new Error('another process has been starting or stopping the edge for too long');
      });
      return await work().finally(() => lock.release());
    } catch (error) {
      if (!busy || Date.now() > end) throw error;
    }
    await sleep(30);
  }
}
