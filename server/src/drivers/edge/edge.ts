/** What answers under a name. */
export type EdgeTarget =
  | { type: 'upstream'; host: string; port: number }
  /** Files of a folder, which must really be inside `within`, wherever links lead. `fallback` is answered for paths without a file (an app that routes in the browser). */
  | { type: 'static'; folder: string; fallback: string | null; within?: string };

export interface EdgeRoute {
  /** Lower case, without a port. */
  host: string;
  /** `/` or a path that begins with it; the longest one wins. */
  path: string;
  deploymentId: string;
  target: EdgeTarget;
}

/** All routes of one project in one environment. They change together or not at all. */
export interface EdgeProject {
  /** `<projectId>/<environment>`. */
  key: string;
  /** A call with an older one than the edge has seen for this key is refused. */
  fence: number;
  routes: EdgeRoute[];
}

export class StaleFenceError extends Error {
  override name = 'StaleFenceError';
}

/** Takes requests and passes them on. It lives on when the service stops. */
export interface Edge {
  readonly kind: string;
  /** Finds the running edge of this instance, or starts one. */
  ensure(): Promise<void>;
  /** Points names at targets. When it returns, every new request goes there; requests under way finish where they are. */
  point(project: EdgeProject): Promise<void>;
  remove(key: string): Promise<void>;
  list(): Promise<EdgeProject[]>;
  /** Waits until no request to the deployment is under way, or the time is over; gives how many are left. */
  drain(deploymentId: string, withinMs: number): Promise<number>;
  /** Lets new requests to the deployment wait, a bounded number of them, and waits until those under way are answered or
   * `drainMs` are over; gives how many are left. What does not end by itself (a WebSocket, a stream of events) is not waited
   * for. It is over with `resume`, and by itself after `withinMs` or half a minute: whoever asked may have died. */
  hold(deploymentId: string, times: { withinMs: number; drainMs: number }): Promise<number>;
  /** The deployments whose requests wait: whoever asked for that may have died. */
  held(): Promise<string[]>;
  /** Those who wait go on, to wherever the route leads by now. */
  resume(deploymentId: string): Promise<void>;
  /** Resolves when the edge that runs now has ended, however it ended; at once when none runs. */
  gone(): Promise<void>;
  /** The address under which a name answers. */
  url(host: string): string;
  /** Ends the edge itself. */
  stop(): Promise<void>;
}
