import type { EdgeRoute, Upstream } from '../../edge.ts';
import type { EdgeLog } from '../log.ts';
import type { RouteTable } from '../table.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { PortGuard } from './guard.ts';
import { acceptsConnections, silentMs } from './accepts-connections.ts';

// An app may close an idle connection just as a request is sent on it. A repeatable request is then retried; any
// other must not be, so it only gets connections used a moment ago, which no server closes as idle.
const idleMs = { repeatable: 4000, once: 1000 };
/** An app that says how long it keeps idle connections may close them a little earlier. */
const hintMarginMs = 1000;
const mostIdle = 128;
const connectMs = 5000;
const firstByteMs = 300_000;
const tickMs = 500;

/** Open connections to apps. Each deployment has its own pools, so that a reused port never inherits connections. */
export class Upstreams {
  readonly #pools = new Map<string, Pool>();
  /** By the route's own object, which saves building the name. */
  readonly #byTarget = new WeakMap<Upstream, Pool>();
  readonly #guard: PortGuard;
  #timer: NodeJS.Timeout | null = null;
  #tickedAt = 0;

  constructor(log: EdgeLog) {
    this.#guard = new PortGuard(log);
  }

  /** Returns an idle connection or opens one. */
  connection(route: EdgeRoute, target: Upstream, repeatable: boolean): Connection {
    const pool = this.#pool(route, target);
    return pool.idle(repeatable) ?? this.#open(pool, repeatable, false);
  }

  /** Opens a connection that can be upgraded. */
  single(route: EdgeRoute, target: Upstream): Connection {
    return this.#open(this.#pool(route, target), false, true);
  }

  closeIdle(deploymentId: string): void {
    for (const pool of this.#pools.values()) if (pool.deploymentId === deploymentId) pool.closeIdle();
  }

  /** Closes the idle connections of deployments without a route. */
  keepOnly(table: RouteTable): void {
    const routed = new Set(table.projects.flatMap((each) => each.routes.map((route) => route.deploymentId)));
    for (const pool of this.#pools.values()) if (!routed.has(pool.deploymentId)) pool.closeIdle();
  }

  #pool(route: EdgeRoute, target: Upstream): Pool {
    const { deploymentId } = route;
    const known = this.#byTarget.get(target);
    if (known?.deploymentId === deploymentId && !known.isDropped) return known;
    const { host, port, socketPath, listener } = target;
    const name = JSON.stringify([deploymentId, host, port, socketPath, listener]);
    let pool = this.#pools.get(name);
    if (!pool) this.#pools.set(name, (pool = new Pool(deploymentId, target)));
    pool.hasOthers = route.target.type === 'upstream' && !!route.target.others?.length;
    this.#byTarget.set(target, pool);
    return pool;
  }

  #open(pool: Pool, repeatable: boolean, streams: boolean): Connection {
    const { deploymentId, target } = pool;
    const { host, port, listener } = target;
    const connection = new Connection(pool, repeatable);
    pool.all.add(connection);
    if (!this.#timer) {
      this.#tickedAt = performance.now();
      this.#timer = setInterval(() => this.#tick(), tickMs).unref();
    }
    if (listener)
      this.#guard.require(deploymentId, { host, port, listener }).then(
        (isSame) => connection.open(target, isSame, streams),
        () => connection.close(),
      );
    else connection.open(target, null, streams);
    return connection;
  }

  /** Closes what has waited too long. One timer for all connections, and none while there are no connections. */
  #tick(): void {
    const [now, date] = [performance.now(), Date.now()];
    // After a pause of the whole process, what has arrived meanwhile is read first.
    const isLate = now - this.#tickedAt > 3 * tickMs;
    this.#tickedAt = now;
    if (isLate) return;
    for (const [name, pool] of this.#pools) {
      for (const connection of pool.all) {
        const { user, isConnected, activeAt } = connection;
        if (!user) {
          if (date - connection.freeAt > connection.idleMs) connection.close();
        } else if (!isConnected) {
          if (now - activeAt > (pool.hasOthers ? silentMs : connectMs)) connection.close('silent');
        } else if (!connection.isAnswered) {
          if (now - activeAt > firstByteMs) connection.close('slow');
          else if (pool.hasOthers && now - activeAt > silentMs) void pool.check(now);
        }
      }
      // With a thousand apps, unused pools would take some megabytes.
      if (pool.all.size) continue;
      pool.isDropped = true;
      this.#pools.delete(name);
    }
    if (this.#pools.size || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** The connections to one app. */
class Pool implements ConnectionOwner {
  readonly deploymentId: string;
  readonly target: Upstream;
  readonly all = new Set<Connection>();
  isDropped = false;
  /** Other replicas can answer. */
  hasOthers = false;
  #checkAgainAt = 0;
  /** Addresses that are being probed and have not sent anything since. An overloaded app accepts no connection for a
   * while, but goes on answering. */
  readonly #doubted = new Set<string | undefined>();
  readonly #idle: Connection[] = [];
  readonly #idleOnce: Connection[] = [];

  constructor(deploymentId: string, target: Upstream) {
    this.deploymentId = deploymentId;
    this.target = target;
  }

  /** Returns the connection that was used last. Checks the clock, because after a suspension of the whole process (a
   * machine that slept) a request may come before the timer. */
  idle(repeatable: boolean): Connection | undefined {
    const idle = repeatable ? this.#idle : this.#idleOnce;
    for (;;) {
      const connection = idle.pop();
      if (!connection || (!connection.isClosed && Date.now() - connection.freeAt <= connection.idleMs))
        return connection;
      connection.close();
    }
  }

  onFree(connection: Connection, idleSeconds: number): void {
    const most = connection.repeatable ? idleMs.repeatable : idleMs.once;
    connection.idleMs = idleSeconds < 0 ? most : Math.min(most, idleSeconds * 1000 - hintMarginMs);
    if (connection.idleMs <= 0) connection.close();
    else if (connection.repeatable) this.#push(this.#idle, connection);
    // Two turns later, so that a FIN right behind the response is seen first.
    else setImmediate(() => setImmediate(() => this.#push(this.#idleOnce, connection)));
  }

  #push(idle: Connection[], connection: Connection): void {
    if (connection.isClosed) return;
    if (idle.length < mostIdle) idle.push(connection);
    else connection.close();
  }

  onClosed(connection: Connection): void {
    this.all.delete(connection);
    const idle = connection.repeatable ? this.#idle : this.#idleOnce;
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
  }

  onHeard(connection: Connection): void {
    if (this.#doubted.size) this.#doubted.delete(connection.socket.remoteAddress);
  }

  /** Fails the requests that wait for an app whose machine is gone. Its name may lead to another machine by now. */
  async check(now: number): Promise<void> {
    if (this.target.socketPath || now < this.#checkAgainAt) return;
    this.#checkAgainAt = now + 2 * silentMs;
    const isWaiting = ({ user, isConnected, isAnswered, activeAt }: Connection): boolean =>
      user !== null && isConnected && !isAnswered && activeAt < now;
    const waiting = Map.groupBy([...this.all].filter(isWaiting), ({ socket }) => socket.remoteAddress);
    const isGone = async (host: string): Promise<boolean> => {
      this.#doubted.add(host);
      const isThere = await acceptsConnections({ host, port: this.target.port });
      return this.#doubted.delete(host) && !isThere;
    };
    const fail = async ([host, connections]: [string | undefined, Connection[]]): Promise<void> => {
      if (host === undefined || !(await isGone(host))) return;
      for (const connection of connections) if (isWaiting(connection)) connection.close('silent');
    };
    await Promise.all([...waiting].map(fail));
  }

  closeIdle(): void {
    for (const connection of this.all) if (!connection.user) connection.close();
  }
}
