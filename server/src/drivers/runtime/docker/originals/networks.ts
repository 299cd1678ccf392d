import type { EngineClient } from '../engine/client.ts';
import { EngineError, ifThere } from '../engine/errors.ts';

/** Puts containers of ours beside originals, where those look for each other by name. */
export interface OriginalNetworks {
  /** On the network under these names, and no others, whether it runs or not. False where one of the two is gone. */
  join(containerId: string, network: string, names: readonly string[]): Promise<boolean>;
  leave(containerId: string, network: string): Promise<void>;
}

type Inspected = { Id: string; NetworkSettings: { Networks: Record<string, { Aliases?: string[] | null }> | null } };

/** Over the engine's API. Each call may be repeated. */
export function originalNetworks(engine: EngineClient): OriginalNetworks {
  const post = (network: string, action: 'connect' | 'disconnect', body: object) =>
    ifThere(
      engine
        .json<unknown>({ method: 'POST', path: `/networks/${encodeURIComponent(network)}/${action}`, body })
        .then(() => true),
    );

  /** The names that it has there; undefined when it is not on it. */
  async function namesOf(containerId: string, network: string): Promise<string[] | undefined> {
    const path = `/containers/${encodeURIComponent(containerId)}/json`;
    const found = await ifThere(engine.json<Inspected>({ method: 'GET', path }));
    const endpoint = found?.NetworkSettings.Networks?.[network];
    // The engine adds the beginning of the id by itself.
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
      // Names are given when it is put there, and never later.
      if (known) await leave(containerId, network);
      const body = { Container: containerId, EndpointConfig: { Aliases: names } };
      return (await post(network, 'connect', body)) === true;
    },
  };
}

/** Somebody else has taken it off at the same moment. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof EngineError) || !/is not connected to/i.test(error.message)) throw error;
};
