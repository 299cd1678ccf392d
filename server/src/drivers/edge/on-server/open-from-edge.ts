import type { OpenPort } from '../../host/open-port.ts';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { openPortThrough } from '../../runtime/swarm/open-port.ts';
import { edgeContainerName } from './container-body.ts';

type Entry = { Config: { Entrypoint: [string] } };

/** Opens ports in networks that the edge's container has joined, and this machine has not. */
export const openFromEdge = (engine: EngineClient, instanceId: string): OpenPort => {
  const container = edgeContainerName(instanceId);
  return async (at, signal) => {
    const [node] = (await engine.json<Entry>({ method: 'GET', path: `/containers/${container}/json` })).Config
      .Entrypoint;
    return openPortThrough({ engine, container, node }, at, signal);
  };
};
