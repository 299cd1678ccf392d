import type { AskService } from '../challenges.ts';
import { ControlClient } from '../control/client.ts';
import { TrafficCounts } from '../traffic-counts.ts';
import { listen } from '../listen.ts';
import type { EdgeLog } from '../log.ts';
import { type EdgeSettings, edgeFilesOf } from '../protocol.ts';
import { Routes } from '../routes.ts';
import { createEdgeProcess, endEdgeProcess, drainEdgeProcess, applySavedSettings } from '../edge-process.ts';
import type { SavedState } from '../state.ts';
import { Certificates } from '../tls/certificates.ts';
import { answerCalls, sendLastCounts } from './answer-calls.ts';
import { ownChannel, type WorkerCall } from './companion.ts';
import { firstMessage, inheritedSockets } from './predecessor.ts';

/** Sent to a worker when it is started: everything that later calls change. */
export type FirstWorkerMessage = {
  saved: SavedState;
  port: number;
  tlsPort: number | null;
  /** Milliseconds that each deployment stays on hold. */
  holds: [string, number][];
};

/** Serves requests beside the main process of the edge, which owns the routes and tells of every change. */
export async function serveAsWorker(settings: EdgeSettings, log: EdgeLog): Promise<void> {
  // Without the main process nobody could drain this one, and it would keep the port.
  process.once('disconnect', () => process.exit(0));
  // The main process decides when a worker ends.
  process.on('SIGTERM', () => {}).on('SIGINT', () => {});
  const { saved, port, tlsPort, holds } = await firstMessage<FirstWorkerMessage>();
  const files = edgeFilesOf(settings.dataDir);
  const certificates = new Certificates(files.certificates, log);
  const counts = new TrafficCounts();
  counts.beginNews();
  const nothing = async () => {};
  const routes = new Routes(saved, nothing, nothing);
  // The main process, or its successor, counts how often the service is asked. One that is gone knows no answer.
  const client = new ControlClient(files.socket, settings.instanceId);
  const askService: AskService = async (url, host) => {
    const query = new URLSearchParams({ url, host });
    const text = (await client.call('GET', `/challenge-answer?${query.toString()}`).catch(() => null)) as string | null;
    return text === null ? null : Buffer.from(text, 'base64');
  };
  const tls = { renewsTickets: false };
  const serving = createEdgeProcess({ settings, files, routes, counts, certificates, log, askService, tls });
  const { traffic, listener, door } = serving;
  traffic.front.port = port;
  traffic.front.tlsPort = tlsPort;
  for (const [deploymentId, ms] of holds) traffic.holds.begin(deploymentId, ms);
  const exit = async () => {
    await sendLastCounts(ownChannel, traffic);
    process.exit(0);
  };
  const answers: { [Type in WorkerCall['type']]: (call: WorkerCall & { type: Type }) => unknown } = {
    settings: (call) => applySavedSettings(traffic, call.saved),
    certificate: ({ host }) => certificates.reload(host),
    tickets: () => door.useTickets(),
    leave: () => void drainEdgeProcess(serving, Promise.resolve()).then(exit),
    end: () => void endEdgeProcess(serving).then(exit),
  };
  await listen(listener.server, inheritedSockets.listener);
  if (tlsPort !== null) await door.adopt(inheritedSockets.tlsListener, tlsPort);
  // Calls that came meanwhile are answered now; their callers wait for that.
  answerCalls(
    ownChannel,
    traffic,
    () => [],
    log,
    async (call) => void (await answers[call.type](call as never)),
  );
}
