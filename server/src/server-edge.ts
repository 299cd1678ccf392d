import type { ReachedServer } from './areas/deployments/server-machines.ts';
import type { Edge } from './drivers/edge/edge.ts';
import { createMemoryEdge } from './drivers/edge/memory.ts';
import type { EngineClient } from './drivers/runtime/docker/engine-client.ts';

export function serverEdge(
  _engine: EngineClient,
  _server: ReachedServer,
  _instanceId: string,
  _report: (what: string, error: unknown) => void,
): Edge {
  return createMemoryEdge();
}
