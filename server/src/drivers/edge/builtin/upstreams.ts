import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ListenerOwner } from '../../host/listeners.ts';
import type { EdgeRoute } from '../edge.ts';
import { PortGuard, GuardedAgent, type Opener } from './guard.ts';
import type { EdgeLog } from './log.ts';
import type { RouteTable } from './table.ts';

type Upstream = { host: string; port: number; listener?: ListenerOwner };
type Pools = { deploymentId: string; repeatable: Pool | null; once: CarefulPool | null };

// An app may close an idle connection just as we send on it. A repeatable request is then sent again; another one must
// not be, so it only gets connections that were in use a moment ago: no server closes those as idle.
const idleMs = { repeatable: 4000, once: 1000 };
const sweepMs = 15_000;

/** Open connections to apps. Each deployment has its own: a port that is used again never inherits connections. */
export class Upstreams {
  readonly #pools = new Map<string, Pools>();
  readonly #guard: PortGuard;
  #swept = 0;

  constructor(log: EdgeLog) {
    this.#guard = new PortGuard(log);
  }

  /** For one connection that nobody else uses. */
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

  /** Those that nobody has asked for a while: with a thousand apps they would be some megabytes. */
  #forgetUnused(): void {
    if (performance.now() - this.#swept < sweepMs) return;
    this.#swept = performance.now();
    for (const [name, pools] of this.#pools) if (!inUse(pools) && !hasFree(pools)) this.#pools.delete(name);
  }

  closeIdle(deploymentId: string): void {
    for (const pools of this.#pools.values()) if (pools.deploymentId === deploymentId) closeFree(pools);
  }

  /** Closes what leads to deployments without a route, and forgets it once nothing is in use there. */
  keepOnly(table: RouteTable): void {
    const routed = new Set(table.projects.flatMap((each) => each.routes.map((route) => route.deploymentId)));
    for (const [name, pools] of this.#pools) {
      if (routed.has(pools.deploymentId)) continue;
      closeFree(pools);
      if (!inUse(pools)) this.#pools.delete(name);
    }
  }
}

/** Connections to one app; the one that was used last is used next. */
class Pool extends GuardedAgent {
  constructor(idle: number, opener: Opener | undefined) {
    super({ keepAlive: true, timeout: idle, maxFreeSockets: 128, scheduling: 'lifo' }, opener);
  }

  closeFree(): void {
    for (const socket of this.free()) socket.destroy();
  }

  protected free = (): Duplex[] => Object.values(this.freeSockets).flatMap((each) => each ?? []);
}

/** After the whole process was held up (a machine that slept) a request may come before the timers of idle connections
 * do, and before the news that the app has closed them. So the clock is asked, and news are read first. */
class CarefulPool extends Pool {
  readonly #freedAt = new WeakMap<Duplex, number>();

  closeStale(): void {
    const oldest = Date.now() - idleMs.once;
    for (const socket of this.free()) if ((this.#freedAt.get(socket) ?? 0) < oldest) socket.destroy();
  }

  /** A connection is free two turns after its answer: what came behind the answer, a goodbye, is known by then. */
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
