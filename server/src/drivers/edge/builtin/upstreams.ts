import { Agent } from 'node:http';
import type { EdgeRoute } from '../edge.ts';
import type { Table } from './table.ts';

type Upstream = { host: string; port: number };
type Pools = { deploymentId: string; repeatable: Agent; once: Agent };

// An app may close an idle connection just as we send on it. A repeatable request is then sent again; another one must
// not be, so it only gets connections that were in use a moment ago: no server closes those as idle.
const idleMs = { repeatable: 4000, once: 1000 };

/** Open connections to apps. Each deployment has its own: a port that is used again never inherits connections. */
export class Upstreams {
  readonly #pools = new Map<string, Pools>();

  agentFor({ deploymentId }: EdgeRoute, { host, port }: Upstream, repeatable: boolean): Agent {
    const name = `${deploymentId} ${host} ${port}`;
    let pools = this.#pools.get(name);
    if (!pools) {
      pools = { deploymentId, repeatable: pool(idleMs.repeatable), once: pool(idleMs.once) };
      this.#pools.set(name, pools);
    }
    return repeatable ? pools.repeatable : pools.once;
  }

  closeIdle(deploymentId: string): void {
    for (const pools of this.#pools.values()) if (pools.deploymentId === deploymentId) closeFree(pools);
  }

  /** Closes what leads to deployments without a route, and forgets it once nothing is in use there. */
  keepOnly(table: Table): void {
    const routed = new Set(table.projects.flatMap((each) => each.routes.map((route) => route.deploymentId)));
    for (const [name, pools] of this.#pools) {
      if (routed.has(pools.deploymentId)) continue;
      closeFree(pools);
      if (!inUse(pools)) this.#pools.delete(name);
    }
  }
}

const pool = (timeout: number): Agent =>
  new Agent({ keepAlive: true, timeout, maxFreeSockets: 128, scheduling: 'lifo' });

function closeFree({ repeatable, once }: Pools): void {
  for (const agent of [repeatable, once])
    for (const socket of Object.values(agent.freeSockets).flatMap((each) => each ?? [])) socket.destroy();
}

const inUse = ({ repeatable, once }: Pools): boolean =>
  [repeatable, once].some((agent) => Object.keys(agent.sockets).length > 0);
