import type { ListenerOwner } from '../host/listeners.ts';

/** Where something listens. `listener`: who may listen there, for a port that others on the machine could take. */
export type Upstream = { host: string; port: number; listener?: ListenerOwner };

/** What one of several replicas is known by in `drain`. */
export const replicaKey = (deploymentId: string, { host, port }: Pick<Upstream, 'host' | 'port'>): string =>
  `${deploymentId}@${host}:${port}`;

export const isReplicaKey = (key: string): boolean => key.includes('@');

/** What answers under a name. */
export type EdgeTarget =
  /** `others`: further replicas of the same thing; each request goes to the one that is least busy. */
  | ({ type: 'upstream'; others?: Upstream[] } & Upstream)
  /** Files of a folder, which must really be inside `within`, wherever links lead. `fallback` is answered for paths without a file (an app that routes in the browser). */
  | { type: 'static'; folder: string; fallback: string | null; within?: string }
  /** Somewhere else: `to` is an origin (`https://www.example.com`), and path and query are kept. */
  | { type: 'redirect'; to: string; status: 301 | 302 | 307 | 308 };

export interface EdgeRoute {
  /** Lower case, without a port. */
  host: string;
  /** `/` or a path that begins with it; the longest one wins. */
  path: string;
  deploymentId: string;
  target: EdgeTarget;
  /** `redirect`: who comes without TLS is sent to HTTPS, once there is a certificate for the host. Left out: both are answered. */
  https?: 'redirect';
  /** Seconds that browsers are told to come by HTTPS only; left out: they are told nothing. */
  hstsSeconds?: number;
}

/** What proves to visitors that they are where they wanted to go. */
export interface EdgeCertificate {
  /** Lower case, one name: a certificate that has several is given for each of them. */
  host: string;
  /** PEM: the certificate of the domain first, then the intermediates. */
  chain: string;
  /** PEM. */
  key: string;
}

/** What was asked of one project in one minute. Of a minute that is not over, as far as it was counted. */
export interface TrafficMinute {
  /** `<projectId>/<environment>`. */
  key: string;
  /** Minutes since 1970. */
  minute: number;
  requests: number;
  /** How many were answered with 1xx, 2xx, 3xx, 4xx and 5xx. */
  statuses: [number, number, number, number, number];
  bytesIn: number;
  bytesOut: number;
  /** How many took how long: for each of `latencyBounds` those up to it, and at the end those beyond. */
  latency: number[];
}

/** Milliseconds; each is some 1.4 times the one before, so that what is read from them is off by a sixth at most. */
export const latencyBounds: readonly number[] = Array.from(
  { length: 34 },
  (_, i) => Math.round(2 ** (i / 2) * 10) / 10,
);

/** What the edge has counted. Who asks twice gets the same minutes again, with what came since. */
export interface EdgeTraffic {
  /** Names one run of the edge: another one counts from zero. */
  run: string;
  minutes: TrafficMinute[];
}

/** All routes of one project in one environment. They change together or not at all. */
export interface EdgeProject {
  /** `<projectId>/<environment>`. */
  key: string;
  /** A call with an older one than the edge has seen for this key is refused. */
  fence: number;
  routes: EdgeRoute[];
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
  /** Waits until no request to the deployment is under way, or to one of its replicas by its `replicaKey`, or the time is over;
   * gives how many are left. */
  drain(deploymentId: string, withinMs: number): Promise<number>;
  /** Lets new requests to the deployment wait, a bounded number of them, and waits until those under way are answered or
   * `drainMs` are over; gives how many are left. What does not end by itself (a WebSocket, a stream of events) is not waited
   * for. It is over with `resume`, and by itself after `withinMs` or half a minute: whoever asked may have died. */
  hold(deploymentId: string, times: { withinMs: number; drainMs: number }): Promise<number>;
  /** The deployments whose requests wait: whoever asked for that may have died. */
  held(): Promise<string[]>;
  /** Those who wait go on, to wherever the route leads by now. */
  resume(deploymentId: string): Promise<void>;
  /** The certificate is on disk and every new handshake gets it when this returns; connections that stand are left alone. */
  useCertificate(certificate: EdgeCertificate): Promise<void>;
  removeCertificate(host: string): Promise<void>;
  /** By the SHA-256 fingerprint (lower-case hex) of each one's own certificate. */
  certificates(): Promise<{ host: string; fingerprint: string }[]>;
  /** Where questions of certificate authorities are answered, `/.well-known/acme-challenge/<token>`, whatever the host: the
   * service. What it does not know, and when it is away, is asked of whatever the route leads to. */
  answerChallengesAt(service: { host: string; port: number }): Promise<void>;
  /** The answer to one such question, given beforehand, for an edge that cannot ask the service. It comes before what the
   * service would say, outlives the edge's process, and is forgotten after an hour; null takes it back. */
  answerChallenge(token: string, keyAuthorization: string | null): Promise<void>;
  /** The minutes from this one on, of the last hour at most. */
  traffic(sinceMinute: number): Promise<EdgeTraffic>;
  /** Resolves when the edge that runs now has ended, however it ended; at once when none runs. */
  gone(): Promise<void>;
  /** The address under which a name answers, with TLS or without. */
  url(host: string, options?: { secure: boolean }): string;
  /** Ends the edge itself. */
  stop(): Promise<void>;
}
