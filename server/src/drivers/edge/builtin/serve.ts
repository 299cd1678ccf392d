import { createConnection, type Server } from 'node:net';
import { type Control, startControl } from './control-server.ts';
import { handOver } from './hand-over.ts';
import { Holds } from './holds.ts';
import { InFlight } from './in-flight.ts';
import { createListener, type Listener } from './listener.ts';
import type { Log } from './log.ts';
import type { Predecessor } from './predecessor.ts';
import { type EdgeSettings, filesOf, fingerprint, protocolVersion } from './protocol.ts';
import { restOf } from './rest.ts';
import { Routes } from './routes.ts';
import { readState, writeState } from './state.ts';
import { Upstreams } from './upstreams.ts';

const stopMs = 5000;
const handedOverMs = 30_000;

/** Puts the edge together and serves. Gives what ends it. */
export async function serve(
  settings: EdgeSettings,
  program: string,
  predecessor: Predecessor | null,
  log: Log,
): Promise<() => void> {
  const files = filesOf(settings.dataDir);
  if (!predecessor && (await isAnswered(files.socket))) throw new Error('an edge runs in this data folder already');
  const saved = readState(files.state, settings.instanceId, log);
  const [inFlight, holds, upstreams] = [new InFlight(), new Holds(), new Upstreams()];
  const routes = new Routes(
    saved,
    (state) => writeState(files.state, state),
    async (table) => {
      upstreams.keepOnly(table);
      holds.lookAgain();
      await predecessor?.useTable(table.projects);
    },
  );
  const traffic = { routes, inFlight, holds, upstreams };
  const listener = createListener(traffic, log);
  const port = predecessor
    ? await listen(listener.server, predecessor.listener)
    : await listenAnew(listener.server, settings, saved.port);
  await routes.usePort(port);
  const hello = { protocol: protocolVersion, pid: process.pid, program: fingerprint(program), port };
  const control: Control = {
    hello: () => ({ ...hello, instanceId: settings.instanceId, host: settings.host }),
    list: () => routes.table.projects,
    held: () => holds.all(),
    point: (project) => routes.point(project),
    remove: (key) => routes.remove(key),
    ...restOf(traffic, predecessor),
    async handOver(execPath, successor) {
      await handOver({ settings, traffic, listener, log }, execPath, successor);
      setImmediate(() => leave(listener, controlServer, handedOverMs, log));
    },
    stop: () => end(),
  };
  const controlServer = await startControl(files.socket, control, log);
  const end = () => {
    listener.stopAccepting();
    controlServer.close();
    listener.server.closeIdleConnections();
    void inFlight.allDrained(stopMs).then(() => process.exit(0));
  };
  log(`serving on ${settings.host}:${port}, ${routes.table.projects.length} projects`);
  return end;
}

/** Answers what is open, for a while. Idle clients go with their next answer, so that none is cut while it sends. */
function leave(listener: Listener, controlServer: Server, withinMs: number, log: Log): void {
  listener.stopAccepting();
  controlServer.close();
  const exit = () => {
    log('gone');
    process.exit(0);
  };
  listener.server.once('close', exit);
  setTimeout(exit, withinMs);
}

async function listenAnew(server: Server, { host, port }: EdgeSettings, lastPort: number): Promise<number> {
  if (port !== 0 || lastPort === 0) return listen(server, { host, port });
  return listen(server, { host, port: lastPort }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') return listen(server, { host, port: 0 });
    throw error;
  });
}

function listen(server: Server, where: { host: string; port: number } | Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen('port' in where ? { ...where, backlog: 1024 } : where, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(socketPath);
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });
}
