import type { ListenerOwner } from '../host/listeners.ts';

/** Address of an app. `listener`: expected owner of the port, where other processes on the machine could take it.
 * `socketPath`: a Unix socket that is used instead of host and port. */
export type Upstream = { host: string; port: number; listener?: ListenerOwner; socketPath?: string };

/** Key of the routes that lead to the service itself. No project has it. */
export const instanceKey = 'mooring/instance';

/** Deployment of these routes, for `hold` and `resume`. */
export const instanceDeployment = 'mooring';

/** Identifies one of several replicas in `drain`. */
export const replicaKey = (deploymentId: string, { host, port }: Pick<Upstream, 'host' | 'port'>): string =>
  `${deploymentId}@${host}:${port}`;

export const isReplicaKey = (key: string): boolean => key.includes('@');

/** Target of a route: an app, a folder or a redirect. */
export type EdgeTarget =
  /** `others`: further replicas; each request goes to the least busy one. */
  | ({ type: 'upstream'; others?: Upstream[] } & Upstream)
  /** A folder, which must really be inside `within`, wherever symlinks lead. `fallback` is served for paths without a
   * file (a single-page app). */
  | { type: 'static'; folder: string; fallback: string | null; within?: string }
  /** `to` is an origin (`https://www.example.com`); path and query are kept. */
  | { type: 'redirect'; to: string; status: 301 | 302 | 307 | 308 };

export interface EdgeRoute {
  /** Lower case, without a port. */
  host: string;
  /** `/` or a path prefix in whole segments; the longest match wins. */
  path: string;
  deploymentId: string;
  target: EdgeTarget;
  /** `redirect`: redirects HTTP to HTTPS once the host has a certificate. Omitted: serves both. */
  https?: 'redirect';
  /** HSTS max-age in seconds; omitted: no header. */
  hstsSeconds?: number;
}

export interface EdgeCertificate {
  /** Lower case, one name: a certificate for several names is added for each of them. */
  host: string;
  /** PEM: the leaf certificate first, then the intermediates. */
  chain: string;
  /** PEM. */
  key: string;
}

/** Traffic of one project in one minute; partial for the current minute. */
export interface TrafficMinute {
  /** `<projectId>/<environment>`. */
  key: string;
  /** Minutes since 1970. */
  minute: number;
  /** Series of counts that it belongs to, if not to that of the report. */
  run?: string | undefined;
  requests: number;
  /** Number of 1xx, 2xx, 3xx, 4xx and 5xx responses. */
  statuses: [number, number, number, number, number];
  bytesIn: number;
  bytesOut: number;
  /** Latency histogram: one bucket for each of `latencyBounds`, and one for everything above. */
  latency: number[];
}

/** Milliseconds; each is about 1.4 times the one before, so that percentiles are off by a sixth at most. */
export const latencyBounds: readonly number[] = Array.from(
  { length: 34 },
  (_, i) => Math.round(2 ** (i / 2) * 10) / 10,
);

/** Counts of the edge. Repeated calls return the same minutes, updated. */
export interface EdgeTraffic {
  /** Identifies one series of counts; another one starts at zero. */
  run: string;
  minutes: TrafficMinute[];
}

/** All routes of one project in one environment. They change atomically. */
export interface EdgeProject {
  /** `<projectId>/<environment>`. */
  key: string;
  /** The edge rejects a fence lower than the highest it has seen for this key. */
  fence: number;
  routes: EdgeRoute[];
}

/** Routes requests to apps. Keeps running when the service stops. */
export interface Edge {
  readonly kind: string;
  /** Finds the running edge of this instance, or starts one. `onTransfer` gets a sentence if its program has to be
   * sent to its machine first, which takes a while; also if another caller has started that. */
  ensure(onTransfer?: (what: string) => void): Promise<void>;
  /** Sets the routes of a project. New requests follow them when this resolves; requests in flight finish where they
   * are. */
  point(project: EdgeProject): Promise<void>;
  remove(key: string): Promise<void>;
  list(): Promise<EdgeProject[]>;
  /** Waits until the deployment, or one of its replicas by `replicaKey`, has no requests in flight, or the timeout
   * expires; returns the number left. */
  drain(deploymentId: string, withinMs: number): Promise<number>;
  /** Makes new requests to the deployment wait, up to a limit, and waits until requests in flight are answered or
   * `drainMs` have passed; returns the number left. Does not wait for WebSockets and event streams. Ends with
   * `resume`, or after `withinMs` or half a minute, because the caller may have died. */
  hold(deploymentId: string, times: { withinMs: number; drainMs: number }): Promise<number>;
  /** Returns the deployments that are on hold, to clean up after a caller that died. */
  held(): Promise<string[]>;
  /** Releases the waiting requests, to wherever the route leads by now. */
  resume(deploymentId: string): Promise<void>;
  /** Stores a certificate. New handshakes use it when this resolves; open connections stay. */
  useCertificate(certificate: EdgeCertificate): Promise<void>;
  removeCertificate(host: string): Promise<void>;
  /** With the SHA-256 fingerprint (lower-case hex) of the leaf certificate. */
  certificates(): Promise<{ host: string; fingerprint: string }[]>;
  /** Forwards `/.well-known/acme-challenge/<token>` of every host to the service. Tokens that it does not know, and
   * requests while it is down, follow the route. */
  answerChallengesAt(service: { host: string; port: number }): Promise<void>;
  /** Stores the response to one challenge, for an edge that cannot reach the service. It takes precedence over the
   * service, survives a restart and expires after an hour; null removes it. */
  answerChallenge(token: string, keyAuthorization: string | null): Promise<void>;
  /** Returns the minutes from this one on, of the last hour at most. */
  traffic(sinceMinute: number): Promise<EdgeTraffic>;
  /** Resolves when the running edge has exited, for whatever reason; immediately when none runs. */
  gone(): Promise<void>;
  /** Returns the URL of a host, with TLS or without. */
  url(host: string, options?: { secure: boolean }): string;
  /** Stops the edge itself. */
  stop(): Promise<void>;
}
