import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What service and edge say to each other. Counts up when an older side would misunderstand. */
export const protocolVersion = 1;

/** Sent with each call: an edge serves only the instance that started it. */
export const instanceHeader = 'x-mooring-instance';

/** Until when the caller waits. What is found later (the edge was stopped, or the machine slept) is not done any more:
 * the caller has given it up, and may have removed what it was about. */
export const deadlineHeader = 'x-mooring-deadline';

/** Goes with what we ask the service for a certificate authority: under which name the authority has asked. */
export const askedHostHeader = 'x-mooring-asked-host';

/** Where visitors come in, besides the plain port. An edge that runs is told, so that a change needs no other edge. */
export interface EdgePorts {
  /** Of TLS. 0: the port of last time, or any free one. */
  tlsPort: number;
  /** Under which we are reached where something in front passes on; null: under the port itself. */
  publicPort: number | null;
  publicTlsPort: number | null;
}

/** Where the service answers. */
export type ServiceAddress = { host: string; port: number };

export interface Hello {
  protocol: number;
  instanceId: string;
  pid: number;
  /** Fingerprint of the program that runs, to notice a newer one on disk. */
  program: string;
  host: string;
  port: number;
  /** As it was told; null when nobody has, and not there in edges that know no TLS. */
  ports?: EdgePorts | null;
  /** Where it takes TLS now; null while it has no certificate. */
  tlsPort?: number | null;
  /** Addresses and ranges, as it was told; not there in edges that believe nobody. */
  trustedProxies?: readonly string[];
  /** Connections and requests of one client address; not there in edges that know no limit. */
  perAddress?: number;
}

/** Everything an edge is started with. */
export interface EdgeSettings {
  dataDir: string;
  instanceId: string;
  host: string;
  /** 0: the port of last time, or any free one. */
  port: number;
}

/** What a started edge tells whoever started it, over the channel between parent and child. */
export type StartReport = { type: 'ready' } | { type: 'failed'; code: string; message: string };

export type EdgeCallError = {
  error: string;
  code: 'stale_fence' | 'taken' | 'invalid' | 'handed_over' | 'too_late' | 'no_tls' | 'failed';
};

export const filesOf = (dataDir: string) => ({
  socket: join(dataDir, 'edge.sock'),
  state: join(dataDir, 'edge.json'),
  log: join(dataDir, 'edge.log'),
  lock: join(dataDir, 'edge.lock'),
  certificates: join(dataDir, 'edge-certificates'),
  compressed: join(dataDir, 'edge-compressed'),
});

export const fingerprint = (program: string): string =>
  createHash('sha256').update(readFileSync(program)).digest('hex').slice(0, 32);
