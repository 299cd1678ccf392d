import { createConnection, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { usualPerAddress } from './limits/address-limit.ts';
import { answerWith, defaultTimeouts } from './answer.ts';
import { Challenges } from './challenges.ts';
import type { Control } from './control/calls.ts';
import { startControl } from './control/server.ts';
import { Counts } from './counts.ts';
import { Front } from './front.ts';
import { withAnswer } from './given-answers.ts';
import { handOver } from './process/hand-over.ts';
import { Holds } from './holds.ts';
import { InFlight } from './limits/in-flight.ts';
import { listen, listenAnew } from './listen.ts';
import { createListener, type HttpListener } from './listener.ts';
import type { EdgeLog } from './log.ts';
import type { Predecessor } from './process/predecessor.ts';
import { type EdgeSettings, filesOf, fingerprint, protocolVersion } from './protocol.ts';
import type { Traffic } from './traffic.ts';
import { restOf } from './rest.ts';
import { HandedOverError, Routes } from './routes.ts';
import { readState, type SavedState, writeState } from './state.ts';
import { CompressedFiles } from './static/compressed-files.ts';
import { Certificates } from './tls/certificates.ts';
import { Tls } from './tls/tls.ts';
import { TlsDoor } from './tls/tls-door.ts';
import { ReplicaBalancer } from './replicas.ts';
import { Upstreams } from './upstream/upstreams.ts';

const stopMs = 5000;
const handedOverMs = 30_000;
/** Grace period for busy HTTP/2 connections when another edge takes over. */
const busyMs = 5000;
/** Time for GOAWAY frames to be sent. */
const goodbyeMs = 20;

/** Assembles the edge and starts serving. Returns the function that stops it. */
export async function serve(
  settings: EdgeSettings,
  program: string,
  predecessor: Predecessor | null,
  log: EdgeLog,
): Promise<() => void> {
  const files = filesOf(settings.dataDir);
  if (!predecessor && (await isAnswered(files.socket))) throw new Error('an edge already runs in this data folder');
  const saved = readState(files.state, settings.instanceId, log);
  const certificates = new Certificates(files.certificates, log);
  const traffic = trafficOf(saved, files, certificates, predecessor, log);
  const { routes, inFlight, counts, front, challenges } = traffic;
  const answer = answerWith(traffic, log);
  const admit = (socket: Socket) => front.admit(socket);
  const listener = createListener(answer, defaultTimeouts, admit);
  const door = new TlsDoor({
    host: settings.host,
    folder: files.certificates,
    certificates,
    answer,
    admit,
    http1: listener.server,
    log,
  });
  const tls = new Tls(certificates, door, routes, front, log);
  front.port = predecessor
    ? await listen(listener.server, predecessor.listener)
    : await listenAnew(listener.server, settings.host, settings.port, saved.port);
  await routes.remember({ port: front.port });
  await tls.begin(predecessor?.tlsListener ?? null);
  const hello = { protocol: protocolVersion, pid: process.pid, program: fingerprint(program), port: front.port };
  const leaving: Leaving = { listener, door, predecessor, log };
  const control: Control = {
    hello: () => ({
      ...hello,
      instanceId: settings.instanceId,
      host: settings.host,
      ports: front.ports,
      tlsPort: door.port,
      trustedProxies: front.proxies.ranges,
      perAddress: front.perAddress,
    }),
    list: () => routes.table.projects,
    held: () => traffic.holds.all(),
    point: (project) => routes.point(project),
    remove: (key) => routes.remove(key),
    certificates: () => certificates.list(),
    useCertificate: (certificate) => tls.use(certificate),
    removeCertificate: (host) => tls.remove(host),
    usePorts: (ports) => tls.usePorts(ports),
    async trustProxies(ranges) {
      await routes.remember({ trustedProxies: ranges });
      front.proxies.use(ranges);
    },
    async limitAddresses(perAddress) {
      await routes.remember({ perAddress });
      front.perAddress = perAddress;
    },
    async answerChallengesAt(service) {
      await routes.remember({ challenges: service });
      challenges.service = service;
    },
    answerChallenge: (token, keyAuthorization) =>
      routes.change(async (remember) => {
        const answers = withAnswer(challenges.given, token, keyAuthorization);
        await remember({ answers });
        challenges.given = answers;
      }),
    async traffic(sinceMinute) {
      if (routes.handedOver) throw new HandedOverError('another edge has taken over');
      await predecessor?.tellCounts();
      return { run: counts.run, minutes: counts.since(sinceMinute) };
    },
    ...restOf(traffic, predecessor),
    async handOver(execPath, successor) {
      const parts = { settings, traffic, listener: listener.server, tlsListener: door.listener, predecessor, log };
      const tellCounts = await handOver(parts, execPath, successor);
      setImmediate(() => leave(leaving, controlServer, tellCounts));
    },
    stop: () => end(),
  };
  const controlServer = await startControl(files.socket, control, log);
  const end = () => {
    listener.stopAccepting();
    door.stopAccepting(0);
    controlServer.close();
    listener.server.closeIdleConnections();
    void Promise.all([inFlight.allDrained(stopMs), sleep(goodbyeMs)]).then(() => process.exit(0));
  };
  log(`serving on ${settings.host}:${front.port}, ${routes.table.projects.length} projects`);
  return end;
}

/** Builds the request-handling state, including what the predecessor handed over. */
function trafficOf(
  saved: SavedState,
  files: ReturnType<typeof filesOf>,
  certificates: Certificates,
  predecessor: Predecessor | null,
  log: EdgeLog,
): Traffic {
  const [holds, upstreams, replicas] = [new Holds(), new Upstreams(log), new ReplicaBalancer()];
  const routes = new Routes(
    saved,
    (state) => writeState(files.state, state),
    async (table) => {
      upstreams.keepOnly(table);
      holds.lookAgain();
      await predecessor?.useTable(table.projects);
    },
  );
  const counts = new Counts(predecessor?.inherited.run);
  counts.add(predecessor?.inherited.minutes ?? []);
  predecessor?.onCounts((minutes) => counts.add(minutes));
  const front = new Front(saved.ports ?? null, certificates);
  front.proxies.use(saved.trustedProxies ?? []);
  front.perAddress = saved.perAddress ?? usualPerAddress;
  const challenges = new Challenges(saved.challenges ?? null, saved.answers ?? {});
  const compressed = new CompressedFiles(files.compressed, log);
  return { routes, inFlight: new InFlight(), holds, upstreams, replicas, counts, front, challenges, compressed };
}

type Leaving = { listener: HttpListener; door: TlsDoor; predecessor: Predecessor | null; log: EdgeLog };

/** Serves the open connections for a while. Idle ones close with their next response, so that none is cut while a
 * request arrives. */
function leave(
  { listener, door, predecessor, log }: Leaving,
  controlServer: Server,
  tellCounts: () => Promise<void>,
): void {
  listener.stopAccepting();
  door.stopAccepting(busyMs);
  controlServer.close();
  const closed = new Promise<void>((resolve) => listener.server.once('close', () => resolve()));
  // Our predecessor hears of changes only through us, so stay until it is gone.
  const over = Promise.all([closed, door.closed(), predecessor?.gone]);
  void Promise.race([over, sleep(handedOverMs)]).then(async () => {
    // Requests cut here are counted too.
    listener.server.closeAllConnections();
    await sleep(0);
    await tellCounts();
    log('gone');
    process.exit(0);
  });
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(socketPath);
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });
}
