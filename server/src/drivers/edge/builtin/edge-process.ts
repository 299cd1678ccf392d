import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequestHandler, defaultTimeouts } from './request-handler.ts';
import { type AskService, Challenges } from './challenges.ts';
import type { TrafficCounts } from './traffic-counts.ts';
import { Front } from './front.ts';
import { Holds } from './holds.ts';
import { usualPerAddress } from './limits/address-limit.ts';
import { InFlight } from './limits/in-flight.ts';
import { createListener, type HttpListener } from './listener.ts';
import type { EdgeLog } from './log.ts';
import type { EdgeSettings, edgeFilesOf } from './protocol.ts';
import { ReplicaBalancer } from './replicas.ts';
import type { Routes } from './routes.ts';
import type { SavedSettings } from './state.ts';
import { CompressedFiles } from './static/compressed-files.ts';
import type { Certificates } from './tls/certificates.ts';
import { TlsListener } from './tls/tls-listener.ts';
import type { Traffic } from './traffic.ts';
import { Upstreams } from './upstream/upstreams.ts';

const stopMs = 5000;
const handedOverMs = 30_000;
/** Grace period for busy HTTP/2 connections of a process that leaves. */
const busyMs = 5000;
/** Time for GOAWAY frames to be sent. */
const goodbyeMs = 20;

/** One process of the edge: what it needs to answer requests, and where it listens. */
export interface EdgeProcess {
  traffic: Traffic;
  listener: HttpListener;
  door: TlsListener;
}

type Parts = {
  settings: EdgeSettings;
  files: ReturnType<typeof edgeFilesOf>;
  routes: Routes;
  counts: TrafficCounts;
  certificates: Certificates;
  log: EdgeLog;
  askService?: AskService;
  tls: { renewsTickets: boolean; onOpen?: () => Promise<void> };
};

export function createEdgeProcess(parts: Parts): EdgeProcess {
  const { settings, files, routes, counts, certificates, log, askService, tls } = parts;
  const front = new Front(null, certificates);
  const traffic: Traffic = {
    routes,
    counts,
    front,
    inFlight: new InFlight(),
    holds: new Holds(),
    upstreams: new Upstreams(log),
    replicas: new ReplicaBalancer(),
    challenges: new Challenges(null, askService),
    compressed: new CompressedFiles(files.compressed, log),
  };
  applySavedSettings(traffic, routes.remembered);
  const answer = createRequestHandler(traffic, log);
  const admit = (socket: Socket) => front.admit(socket);
  const listener = createListener(answer, defaultTimeouts, admit);
  const { server: http1 } = listener;
  const door = new TlsListener({
    host: settings.host,
    folder: files.certificates,
    certificates,
    answer,
    admit,
    http1,
    ...tls,
  });
  return { traffic, listener, door };
}

/** Puts the saved settings into effect. */
export function applySavedSettings({ front, challenges }: Traffic, saved: SavedSettings): void {
  front.ports = saved.ports ?? null;
  front.proxies.use(saved.trustedProxies ?? []);
  front.perAddress = saved.perAddress ?? usualPerAddress;
  challenges.service = saved.challenges ?? null;
  challenges.given = saved.answers ?? {};
}

/** Stops serving. Resolves when requests in flight are answered, within some seconds. */
export async function endEdgeProcess({ traffic, listener, door }: EdgeProcess): Promise<void> {
  listener.stopAccepting();
  door.stopAccepting(0);
  listener.server.closeIdleConnections();
  await Promise.all([traffic.inFlight.allDrained(stopMs), sleep(goodbyeMs)]);
}

/** Serves the open connections for a while. Idle ones close with their next response, so that none is cut while a
 * request arrives. `others` is waited for, too. */
export async function drainEdgeProcess({ listener, door }: EdgeProcess, others: Promise<unknown>): Promise<void> {
  listener.stopAccepting();
  door.stopAccepting(busyMs);
  const closed = new Promise<void>((resolve) => listener.server.once('close', () => resolve()));
  await Promise.race([Promise.all([closed, door.closed(), others]), sleep(handedOverMs)]);
  // Requests cut here are counted too.
  listener.server.closeAllConnections();
  await sleep(0);
}
