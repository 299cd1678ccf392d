import { limitConcurrency } from '../../../../lib/concurrency.ts';
import type { EngineClient } from '../engine/client.ts';
import { ifThere } from '../engine/errors.ts';
import { mendNetworks } from '../networks/lost.ts';
import { type OriginalNetworks, originalNetworks } from './networks.ts';

/** Whether the engine starts it again by itself. */
export type OriginalRestartPolicy = { name: string; maximumRetryCount: number };

/** How a container was before somebody held it back. */
export interface WayItWas {
  state: 'running' | 'paused' | 'stopped';
  restartPolicy: OriginalRestartPolicy;
}

/** A container of somebody else's as it is now. */
export interface OriginalNow extends WayItWas {
  /** The engine removes it as soon as it ends, so that nobody can bring it back. */
  isRemovedAtItsEnd: boolean;
  /** What its health check says, if it has one and runs. */
  health?: 'starting' | 'healthy' | 'unhealthy';
}

/** Containers that are not ours and that something of ours takes the place of. They are known by their ids alone. */
export interface OriginalContainers extends OriginalNetworks {
  /** Undefined when there is none with that id. */
  look(id: string): Promise<OriginalNow | undefined>;
  /** Stops it in the time that it gives itself, and keeps the engine from starting it again. */
  holdBack(id: string): Promise<void>;
  /** Gives it back what `holdBack` took. False when it is gone. A network of its that somebody has removed meanwhile is made anew,
   * and told. */
  bringBack(id: string, was: WayItWas, onMended?: (network: string) => void): Promise<boolean>;
  /** Removes it for good. Its volumes stay. */
  remove(id: string): Promise<void>;
}

type Inspected = {
  State: { Running: boolean; Paused: boolean; Restarting: boolean; Health?: { Status: string } | null };
  Config: { StopTimeout?: number | null };
  HostConfig: { AutoRemove: boolean; RestartPolicy?: { Name: string; MaximumRetryCount: number } | null };
};

const usualGraceSeconds = 10;
// What the engine needs besides, on a machine that has a lot to do.
const patienceMs = 60_000;
const healths = ['starting', 'healthy', 'unhealthy'] as const;
const never: OriginalRestartPolicy = { name: 'no', maximumRetryCount: 0 };

/** Over the engine's API, wherever the engine is. Each call may be repeated. */
export function createOriginals(engine: EngineClient): OriginalContainers {
  const at = (id: string, action = '') => `/containers/${encodeURIComponent(id)}${action}`;
  const post = (id: string, action: string, more: { body?: object; deadlineMs?: number } = {}) =>
    engine.json<unknown>({ method: 'POST', path: at(id, action), ...more });
  // Two on one network that is gone make it anew once.
  const inTurn = limitConcurrency(1);
  const inspect = (id: string) => ifThere(engine.json<Inspected>({ method: 'GET', path: at(id, '/json') }));

  async function setPolicy(id: string, { name, maximumRetryCount }: OriginalRestartPolicy): Promise<void> {
    const RestartPolicy = { Name: name, MaximumRetryCount: maximumRetryCount };
    await post(id, '/update', { body: { RestartPolicy } });
  }

  return {
    ...originalNetworks(engine),

    async look(id) {
      const found = await inspect(id);
      return found && wayOf(found);
    },

    async holdBack(id) {
      const found = await inspect(id);
      if (!found) return;
      const { state, restartPolicy } = wayOf(found);
      // First: an engine that restarts in between leaves it where it is.
      if (restartPolicy.name !== never.name) await setPolicy(id, never);
      if (state === 'stopped') return;
      const graceMs = Math.max(0, found.Config.StopTimeout ?? usualGraceSeconds) * 1000;
      await ifThere(post(id, '/stop', { deadlineMs: graceMs + patienceMs }));
    },

    async bringBack(id, was, onMended) {
      const found = await inspect(id);
      if (!found) return false;
      const now = wayOf(found);
      if (was.state !== 'stopped' && now.state === 'stopped') {
        for (const network of await inTurn(() => mendNetworks(engine, id))) onMended?.(network);
        await post(id, '/start');
      }
      if (was.state === 'paused' && now.state !== 'paused') await post(id, '/pause');
      const { name, maximumRetryCount } = now.restartPolicy;
      if (name !== was.restartPolicy.name || maximumRetryCount !== was.restartPolicy.maximumRetryCount)
        await setPolicy(id, was.restartPolicy);
      return true;
    },

    async remove(id) {
      await ifThere(engine.json({ method: 'DELETE', path: at(id), query: { v: false } }));
    },
  };
}

function wayOf({ State, HostConfig }: Inspected): OriginalNow {
  const { Name, MaximumRetryCount } = HostConfig.RestartPolicy ?? { Name: '', MaximumRetryCount: 0 };
  const isUp = State.Running || State.Restarting;
  const health = healths.find((each) => isUp && each === State.Health?.Status);
  return {
    state: State.Paused ? 'paused' : isUp ? 'running' : 'stopped',
    restartPolicy: { name: Name || never.name, maximumRetryCount: MaximumRetryCount },
    isRemovedAtItsEnd: HostConfig.AutoRemove,
    ...(health && { health }),
  };
}
