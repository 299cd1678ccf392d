import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ListenerOwner } from '../../host/listeners.ts';
import type { EdgeRoute, Upstream } from '../edge.ts';
import { PortGuard, GuardedAgent, type Opener } from './guard.ts';
import type { EdgeLog } from './log.ts';
import type { RouteTable } from './table.ts';

type Pools = { deploymentId: string; repeatable: Pool | null; once: CarefulPool | null };

// An app may close an idle connection just as a request is sent on it. A repeatable request is then retried; any
// other must not be, so it only gets connections used a moment ago, which no server closes as idle.
const idleMs = { repeatable: 4000, once: 1000 };
const sweepMs = 15_000;

/** Open connections to apps. Each deployment has its own pool, so that a reused port never inherits connections. */
export class Upstreams {
  readonly #pools = new Map<string, Pools>();
  readonly #guard: PortGuard;
  #swept = 0;

  constructor(log: EdgeLog) {
    this.#guard = new PortGuard(log);
  }

  /** Returns an agent for a single connection that is not shared. */
  agentForOne({ deploymentId }: EdgeRoute, { listener }: Upstream): Agent | false {
    return listener ? new GuardedAgent({}, this.#opener(deploymentId, listener)) : false;
  }

  #opener(deploymentId: string, listener: ListenerOwner | undefined): Opener | undefined {
    return listener && ((options, done) => this.#guard.open(deploymentId, { ...options, listener }, done));
  }

  agentFor({ deploymentId }: EdgeRoute, { host, port, listener }: Upstream, repeatable: boolean): Agent {
    const name = `${deploymentId} ${host} ${port} ${listener ? JSON.stringify(listener) : ''}`;
    let pools = this.#pools.get(name);
    if (!pools) {
      this.#forgetUnused();
      this.#pools.set(name, (pools = { deploymentId, repeatable: null, once: null }));
    }
    const opener = this.#opener(deploymentId, listener);
    if (repeatable) return (pools.repeatable ??= new Pool(idleMs.repeatable, opener));
    pools.once ??= new CarefulPool(idleMs.once, opener);
    pools.once.closeStale();
    return pools.once;
  }

  /** Drops unused pools: with a thousand apps they would take some megabytes. */
  #forgetUnused(): void {
    if (performance.now() - this.#swept < sweepMs) return;
    this.#swept = performance.now();
    for (const [name, pools] of this.#pools) if (!inUse(pools) && !hasFree(pools)) this.#pools.delete(name);
  }

  closeIdle(deploymentId: string): void {
    for (const pools of this.#pools.values()) if (pools.deploymentId === deploymentId) closeFree(pools);
  }

  /** Closes the connections of deployments without a route, and drops their pools once unused. */
  keepOnly(table: RouteTable): void {
    const routed = new Set(table.projects.flatMap((each) => each.routes.map((route) => route.deploymentId)));
    for (const [name, pools] of this.#pools) {
      if (routed.has(pools.deploymentId)) continue;
      closeFree(pools);
      if (!inUse(pools)) this.#pools.delete(name);
    }
  }
}

/** Connections to one app; the most recently used one is used next. */
class Pool extends GuardedAgent {
  constructor(idle: number, opener: Opener | undefined) {
    super({ keepAlive: true, timeout: idle, maxFreeSockets: 128, scheduling: 'lifo' }, opener);
  }

  closeFree(): void {
    for (const socket of this.free()) socket.destroy();
  }

  protected free = (): Duplex[] => Object.values(this.freeSockets).flatMap((each) => each ?? []);
}

/** After the whole process was suspended (a machine that slept), a request may run before the idle timers fire and
 * before the FIN of the app is read. So check the clock, and read pending events first. */
class CarefulPool extends Pool {
  readonly #freedAt = new WeakMap<Duplex, number>();

  closeStale(): void {
    const oldest = Date.now() - idleMs.once;
    for (const socket of this.free()) if ((this.#freedAt.get(socket) ?? 0) < oldest) socket.destroy();
  }

  /** Frees a connection two turns after its response, so that a FIN right behind the response is seen first. */
  override emit(event: string, ...args: unknown[]): boolean {
    if (event !== 'free') return super.emit(event, ...args);
    this.#freedAt.set(args[0] as Duplex, Date.now());
    setImmediate(() => setImmediate(() => super.emit('free', ...args)));
    return true;
  }
}

function closeFree({ repeatable, once }: Pools): void {
  repeatable?.closeFree();
  once?.closeFree();
}

const inUse = ({ repeatable, once }: Pools): boolean =>
  [repeatable, once].some((agent) => agent && Object.keys(agent.sockets).length > 0);

const hasFree = ({ repeatable, once }: Pools): boolean =>
  [repeatable, once].some((agent) => agent && Object.keys(agent.freeSockets).length > 0);
