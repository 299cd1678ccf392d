import type { EngineClient } from '../engine/client.ts';
import { EngineError, undefinedIfGone } from '../engine/errors.ts';

/** Connects our containers to networks of originals, where those resolve each other by name. */
export interface OriginalNetworks {
  /** Connects the container under exactly these names, whether it runs or not. Returns false if the container or the
   * network is gone. */
  join(containerId: string, network: string, names: readonly string[]): Promise<boolean>;
  leave(containerId: string, network: string): Promise<void>;
}

type Inspected = { Id: string; NetworkSettings: { Networks: Record<string, { Aliases?: string[] | null }> | null } };

/** Uses the engine's API. Every call is idempotent. */
export function originalNetworks(engine: EngineClient): OriginalNetworks {
  const post = (network: string, action: 'connect' | 'disconnect', body: object) =>
    undefinedIfGone(
      engine
        .json<unknown>({ method: 'POST', path: `/networks/${encodeURIComponent(network)}/${action}`, body })
        .then(() => true),
    );

  /** Returns its names on the network; undefined when it is not connected. */
  async function namesOf(containerId: string, network: string): Promise<string[] | undefined> {
    const path = `/containers/${encodeURIComponent(containerId)}/json`;
    const found = await undefinedIfGone(engine.json<Inspected>({ method: 'GET', path }));
    const endpoint = found?.NetworkSettings.Networks?.[network];
    // The engine adds the short id itself.
    return endpoint && (endpoint.Aliases ?? []).filter((name) => !found.Id.startsWith(name));
  }

  async function leave(containerId: string, network: string): Promise<void> {
    if ((await namesOf(containerId, network)) === undefined) return;
    await post(network, 'disconnect', { Container: containerId, Force: true }).catch(unlessGone);
  }

  return {
    leave,
    async join(containerId, network, names) {
      const known = await namesOf(containerId, network);
      if (known && known.length === names.length && names.every((name) => known.includes(name))) return true;
      // Names can only be set on connect.
      if (known) await leave(containerId, network);
      const body = { Container: containerId, EndpointConfig: { Aliases: names } };
      return (await post(network, 'connect', body)) === true;
    },
  };
}

/** It was disconnected concurrently. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof EngineError) || !/is not connected to/i.test(error.message)) throw error;
};
