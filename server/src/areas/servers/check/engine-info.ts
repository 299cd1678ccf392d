import type { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';

import type { ServerCheck } from './outcome.ts';

type Shown = NonNullable<ServerCheck['engine']>;
export type EngineStatus = Omit<Shown, 'available'> & { dataRoot: string | null };

export const shownEngine = ({ version, reason, swarm }: EngineStatus): Shown => ({
  available: version !== null,
  version,
  reason,
  swarm,
});

type Info = {
  ServerVersion: string;
  DockerRootDir: string;
  Swarm?: { NodeID?: string; ControlAvailable?: boolean; Nodes?: number };
};

/** Returns version and data root of an engine, or why it does not respond. */
export async function engineInfo(client: EngineClient, signal: AbortSignal): Promise<EngineStatus> {
  try {
    const info = await client.json<Info>({
      method: 'GET',
      path: '/info',
      signal,
      deadlineMs: 10_000,
    });
    const { NodeID: nodeId, ControlAvailable, Nodes } = info.Swarm ?? {};
    const swarm = nodeId ? { nodeId, isManager: ControlAvailable === true, nodes: Nodes || null } : null;
    return { version: info.ServerVersion, dataRoot: info.DockerRootDir, reason: null, swarm };
  } catch (error) {
    signal.throwIfAborted();
    return { version: null, dataRoot: null, swarm: null, reason: `Docker does not respond: ${innermost(error)}` };
  }
}

const innermost = (error: unknown): string =>
  error instanceof Error ? (error.cause ? innermost(error.cause) : error.message) : String(error);
