import { limitConcurrency } from '../../../../lib/concurrency.ts';
import type { WrittenFile } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import { repairNetworks } from '../networks/repair-networks.ts';
import { writtenFiles } from '../written-files.ts';
import { type OriginalNetworks, originalNetworks } from './networks.ts';
import { neverRestart, engineMarginMs, usualGraceSeconds } from './defaults.ts';
import { isSwarmServiceId } from './service-id.ts';
import { originalServices } from './swarm-services.ts';

/** The container's restart policy in the engine. */
export type OriginalRestartPolicy = { name: string; maximumRetryCount: number };

/** State of a container before `holdBack`. */
export interface OriginalState {
  state: 'running' | 'paused' | 'stopped';
  restartPolicy: OriginalRestartPolicy;
  /** Of a Swarm service. */
  replicas?: number | undefined;
}

/** Current state of a container or service that is not ours. */
export interface CurrentOriginal extends OriginalState {
  /** The engine removes it on exit (AutoRemove), so it cannot be restored. */
  isRemovedAtItsEnd: boolean;
  /** Result of its health check, if it has one and runs. */
  health?: 'starting' | 'healthy' | 'unhealthy';
}

/** Containers and Swarm services that are not ours and are replaced by ours. Identified by id only. */
export interface OriginalContainers extends OriginalNetworks {
  /** Returns undefined when there is no container with that id. */
  look(id: string): Promise<CurrentOriginal | undefined>;
  /** Stops it within its own stop timeout and disables its restart policy. */
  holdBack(id: string): Promise<void>;
  /** Restores the state before `holdBack`. Returns false when the container is gone. Recreates removed networks and
   * reports them. */
  bringBack(id: string, was: OriginalState, onMended?: (network: string) => void): Promise<boolean>;
  /** Returns files that it wrote outside its volumes. None for a Swarm service, whose containers end with it. */
  writtenFiles(id: string): Promise<WrittenFile[]>;
  /** Removes it for good. Its volumes stay. */
  remove(id: string): Promise<void>;
}

type Inspected = {
  Id: string;
  Mounts?: { Destination: string }[] | null;
  State: { Running: boolean; Paused: boolean; Restarting: boolean; Health?: { Status: string } | null };
  Config: { StopTimeout?: number | null };
  HostConfig: { AutoRemove: boolean; RestartPolicy?: { Name: string; MaximumRetryCount: number } | null };
};

const healths = ['starting', 'healthy', 'unhealthy'] as const;

/** Uses the engine's API, local or remote. Every call is idempotent. */
export function createOriginals(engine: EngineClient): OriginalContainers {
  const at = (id: string, action = '') => `/containers/${encodeURIComponent(id)}${action}`;
  const post = (id: string, action: string, more: { body?: object; deadlineMs?: number } = {}) =>
    engine.json<unknown>({ method: 'POST', path: at(id, action), ...more });
  // Serialized, so that two containers on a removed network recreate it once.
  const inTurn = limitConcurrency(1);
  const inspect = (id: string) => undefinedIfGone(engine.json<Inspected>({ method: 'GET', path: at(id, '/json') }));

  async function setPolicy(id: string, { name, maximumRetryCount }: OriginalRestartPolicy): Promise<void> {
    const RestartPolicy = { Name: name, MaximumRetryCount: maximumRetryCount };
    await post(id, '/update', { body: { RestartPolicy } });
  }

  const services = originalServices(engine);
  const containers: typeof services = {
    async look(id) {
      const found = await inspect(id);
      return found && wayOf(found);
    },

    async holdBack(id) {
      const found = await inspect(id);
      if (!found) return;
      const { state, restartPolicy } = wayOf(found);
      // Policy first: if the engine restarts in between, the container stays stopped.
      if (restartPolicy.name !== neverRestart.name) await setPolicy(id, neverRestart);
      if (state === 'stopped') return;
      const graceMs = Math.max(0, found.Config.StopTimeout ?? usualGraceSeconds) * 1000;
      await undefinedIfGone(post(id, '/stop', { deadlineMs: graceMs + engineMarginMs }));
    },

    async bringBack(id, was, onMended) {
      const found = await inspect(id);
      if (!found) return false;
      const now = wayOf(found);
      if (was.state !== 'stopped' && now.state === 'stopped') {
        for (const network of await inTurn(() => repairNetworks(engine, id))) onMended?.(network);
        await post(id, '/start');
      }
      if (was.state === 'paused' && now.state !== 'paused') await post(id, '/pause');
      const { name, maximumRetryCount } = now.restartPolicy;
      if (name !== was.restartPolicy.name || maximumRetryCount !== was.restartPolicy.maximumRetryCount)
        await setPolicy(id, was.restartPolicy);
      return true;
    },

    async writtenFiles(id) {
      const found = await inspect(id);
      return found ? writtenFiles(engine, found) : [];
    },

    async remove(id) {
      await undefinedIfGone(engine.json({ method: 'DELETE', path: at(id), query: { v: false } }));
    },
  };
  const of = (id: string) => (isSwarmServiceId(id) ? services : containers);
  return {
    ...originalNetworks(engine),
    look: (id) => of(id).look(id),
    holdBack: (id) => of(id).holdBack(id),
    bringBack: (id, ...more) => of(id).bringBack(id, ...more),
    writtenFiles: (id) => of(id).writtenFiles(id),
    remove: (id) => of(id).remove(id),
  };
}

function wayOf({ State, HostConfig }: Inspected): CurrentOriginal {
  const { Name, MaximumRetryCount } = HostConfig.RestartPolicy ?? { Name: '', MaximumRetryCount: 0 };
  const isUp = State.Running || State.Restarting;
  const health = healths.find((each) => isUp && each === State.Health?.Status);
  return {
    state: State.Paused ? 'paused' : isUp ? 'running' : 'stopped',
    restartPolicy: { name: Name || neverRestart.name, maximumRetryCount: MaximumRetryCount },
    isRemovedAtItsEnd: HostConfig.AutoRemove,
    ...(health && { health }),
  };
}
