import { createConnection, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from './control/calls.ts';
import { startControl } from './control/server.ts';
import { TrafficCounts } from './traffic-counts.ts';
import { withChallengeResponse } from './challenge-responses.ts';
import { handOver } from './process/hand-over.ts';
import { listen, listenAnew } from './listen.ts';
import { type EdgeLog, logFailure } from './log.ts';
import type { Companion } from './process/companion.ts';
import type { Predecessor } from './process/predecessor.ts';
import { usualWorkers, Workers } from './process/workers.ts';
import { type EdgeSettings, edgeFilesOf, fingerprint, protocolVersion } from './protocol.ts';
import { trafficControlOf } from './traffic-control.ts';
import { HandedOverError, Routes } from './routes.ts';
import {
  createEdgeProcess,
  endEdgeProcess,
  drainEdgeProcess,
  type EdgeProcess,
  applySavedSettings,
} from './edge-process.ts';
import { readState, writeState } from './state.ts';
import { Certificates } from './tls/certificates.ts';
import { ticketDayMs } from './tls/ticket-keys.ts';
import { Tls } from './tls/tls.ts';

/** The workers of an edge that was killed take a moment to notice. */
const portFreeMs = 1000;
/** Time for workers to exit after the last deadline. */
const workersMs = 500;

/** Assembles the edge and starts serving. Returns the function that stops it. */
export async function serveEdge(
  settings: EdgeSettings,
  program: string,
  predecessor: Predecessor | null,
  log: EdgeLog,
): Promise<() => void> {
  const files = edgeFilesOf(settings.dataDir);
  if (!predecessor && (await isAnswered(files.socket))) throw new Error('an edge already runs in this data folder');
  const saved = readState(files.state, settings.instanceId, log);
  const counts = new TrafficCounts(predecessor?.inherited.run);
  counts.add(predecessor?.inherited.minutes ?? []);
  predecessor?.onCounts((minutes) => counts.add(minutes));
  const companions = (): Companion[] => [...(predecessor ? [predecessor] : []), ...workers.all];
  const routes = new Routes(
    saved,
    (state) => writeState(files.state, state),
    async (table) => {
      traffic.upstreams.keepOnly(table);
      traffic.holds.lookAgain();
      await Promise.all(companions().map((each) => each.useTable(table.projects)));
    },
    async (remembered) => {
      applySavedSettings(traffic, remembered);
      await workers.tell({ type: 'settings', saved: remembered });
    },
  );
  const certificates = new Certificates(files.certificates, log, (host) => workers.tell({ type: 'certificate', host }));
  const tlsParts = { renewsTickets: true, onOpen: () => workers.renew() };
  const serving = createEdgeProcess({ settings, files, routes, counts, certificates, log, tls: tlsParts });
  const { traffic, listener, door } = serving;
  const { front, challenges, holds } = traffic;
  const own = fingerprint(program);
  const workers = new Workers({
    settings,
    program,
    fingerprint: own,
    traffic,
    sockets: () => ({ listener: listener.server, tlsListener: door.listener }),
    first: () => ({
      saved: { ...routes.state, fences: {} },
      port: front.port,
      tlsPort: door.port,
      holds: holds.left(),
    }),
    log,
  });
  const tls = new Tls(certificates, door, routes, front, log);
  front.port = predecessor
    ? await listen(listener.server, predecessor.listener)
    : await listenAnew(listener.server, settings.host, settings.port, saved.port, portFreeMs);
  await routes.remember({ port: front.port });
  await tls.begin(predecessor?.tlsListener ?? null);
  const renewTickets = () => door.useTickets().then(() => workers.tell({ type: 'tickets' }));
  const onTicketDay = () => void renewTickets().catch(logFailure(log, 'new session ticket keys could not be created'));
  setInterval(onTicketDay, ticketDayMs / 4).unref();
  const hello = { protocol: protocolVersion, pid: process.pid, program: own, port: front.port };
  const useWorkers = () => workers.use(routes.remembered.workers || usualWorkers());
  const control: Control = {
    hello: () => ({
      ...hello,
      instanceId: settings.instanceId,
      host: settings.host,
      ports: front.ports,
      tlsPort: door.port,
      trustedProxies: front.proxies.ranges,
      perAddress: front.perAddress,
      workers: routes.remembered.workers ?? 0,
    }),
    list: () => routes.table.projects,
    held: () => holds.all(),
    point: (project) => routes.point(project),
    remove: (key) => routes.remove(key),
    certificates: () => certificates.list(),
    useCertificate: (certificate) => tls.use(certificate),
    removeCertificate: (host) => tls.remove(host),
    usePorts: (ports) => tls.usePorts(ports),
    trustProxies: (ranges) => routes.remember({ trustedProxies: ranges }),
    limitAddresses: (perAddress) => routes.remember({ perAddress }),
    async useWorkers(count) {
      await routes.remember({ workers: count });
      await useWorkers();
    },
    answerChallengesAt: (service) => routes.remember({ challenges: service }),
    askService: (url, host) => challenges.ask(url, host),
    answerChallenge: (token, keyAuthorization) =>
      routes.change((remember) =>
        remember({ answers: withChallengeResponse(challenges.given, token, keyAuthorization) }),
      ),
    async traffic(sinceMinute) {
      if (routes.handedOver) throw new HandedOverError('another edge has taken over');
      await Promise.all(companions().map((each) => each.tellCounts()));
      return { run: counts.run, minutes: counts.since(sinceMinute) };
    },
    ...trafficControlOf(traffic, companions),
    async handOver(execPath, successor) {
      const parts = { settings, traffic, listener: listener.server, tlsListener: door.listener, companions, log };
      const tellCounts = await handOver(parts, execPath, successor);
      setImmediate(() => void leave({ serving, workers, predecessor, log }, controlServer, tellCounts));
    },
    stop: () => end(),
  };
  const controlServer = await startControl(files.socket, control, log);
  const end = () => {
    controlServer.close();
    const ended = workers.leave('end');
    void endEdgeProcess(serving)
      .then(() => Promise.race([ended, sleep(workersMs)]))
      .then(() => process.exit(0));
  };
  log(`serving on ${settings.host}:${front.port}, ${routes.table.projects.length} projects`);
  await useWorkers();
  return end;
}

type Leaving = { serving: EdgeProcess; workers: Workers; predecessor: Predecessor | null; log: EdgeLog };

/** Serves the open connections for a while, after a successor has taken over. */
async function leave(
  { serving, workers, predecessor, log }: Leaving,
  controlServer: Server,
  tellCounts: () => Promise<void>,
): Promise<void> {
  controlServer.close();
  const left = workers.leave('leave');
  // Our predecessor and workers hear of changes only through us, so stay until they are gone.
  await drainEdgeProcess(serving, Promise.all([left, predecessor?.gone]));
  await Promise.race([left, sleep(workersMs)]);
  await tellCounts();
  log('gone');
  process.exit(0);
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(socketPath);
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });
}
