import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Version of the control protocol. Increment it when an older side would misunderstand a call. */
export const protocolVersion = 1;

/** Sent with each call: an edge serves only the instance that started it. */
export const instanceHeader = 'x-mooring-instance';

/** Deadline of the caller. The edge rejects a call that it finds later (after being stopped, or after the machine
 * slept): the caller has given up and may have removed the target. */
export const deadlineHeader = 'x-mooring-deadline';

/** Host of the challenge request, forwarded to the service. */
export const askedHostHeader = 'x-mooring-asked-host';

/** Ports besides the plain one. Configurable at run time, so that a change needs no new process. */
export interface EdgePortSettings {
  /** TLS port. 0: the last one, or any free one. */
  tlsPort: number;
  /** Public port when a proxy or NAT is in front; null: the listening port itself. */
  publicPort: number | null;
  publicTlsPort: number | null;
}

export type ServiceAddress = { host: string; port: number };

export interface Hello {
  protocol: number;
  instanceId: string;
  pid: number;
  /** Fingerprint of the running program, to detect a newer one on disk. */
  program: string;
  host: string;
  port: number;
  /** Configured ports; null when never configured, missing in edges without TLS support. */
  ports?: EdgePortSettings | null;
  /** Current TLS port; null while there is no certificate. */
  tlsPort?: number | null;
  /** Configured addresses and ranges; missing in edges without this feature. */
  trustedProxies?: readonly string[];
  /** Limit per client address; missing in edges without a limit. */
  perAddress?: number;
  /** Configured number of processes that serve requests, 0: as many as fit; missing in edges that have one. */
  workers?: number;
}

/** Settings that an edge is started with. */
export interface EdgeSettings {
  dataDir: string;
  instanceId: string;
  host: string;
  /** 0: the last port, or any free one. */
  port: number;
}

/** Report of a started edge to its parent over the IPC channel. */
export type StartReport = { type: 'ready' } | { type: 'failed'; code: string; message: string };

export type EdgeCallError = {
  error: string;
  code: 'stale_fence' | 'taken' | 'invalid' | 'handed_over' | 'too_late' | 'no_tls' | 'failed';
};

export const edgeFilesOf = (dataDir: string) => ({
  socket: join(dataDir, 'edge.sock'),
  state: join(dataDir, 'edge.json'),
  log: join(dataDir, 'edge.log'),
  lock: join(dataDir, 'edge.lock'),
  certificates: join(dataDir, 'edge-certificates'),
  compressed: join(dataDir, 'edge-compressed'),
});

export const fingerprint = (program: string): string =>
  createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 32);
