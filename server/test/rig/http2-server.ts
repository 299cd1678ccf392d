import { type ClientHttp2Session, connect } from 'node:http2';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createRequestHandler, type ClientTimeouts } from '../../src/drivers/edge/builtin/request-handler.ts';
import { Challenges } from '../../src/drivers/edge/builtin/challenges.ts';
import { TrafficCounts } from '../../src/drivers/edge/builtin/traffic-counts.ts';
import { Front } from '../../src/drivers/edge/builtin/front.ts';
import { Holds } from '../../src/drivers/edge/builtin/holds.ts';
import { Http2Server } from '../../src/drivers/edge/builtin/http2/server.ts';
import { InFlight } from '../../src/drivers/edge/builtin/limits/in-flight.ts';
import { ReplicaBalancer } from '../../src/drivers/edge/builtin/replicas.ts';
import { Routes } from '../../src/drivers/edge/builtin/routes.ts';
import { CompressedFiles } from '../../src/drivers/edge/builtin/static/compressed-files.ts';
import { Upstreams } from '../../src/drivers/edge/builtin/upstream/upstreams.ts';
import { newFolder } from './children.ts';
import { project, type TestApp } from './edge.ts';

export interface TestHttp2Server {
  http2: Http2Server;
  inFlight: InFlight;
  /** Lines that the edge logged. */
  logged: string[];
  dial(): Socket;
  /** A client that accepts large responses. */
  session: ClientHttp2Session;
  close(): void;
}

/** Headers of a request for the app. */
export const askedHeaders = { ':scheme': 'https', ':authority': 'a' };

/** Starts the HTTP/2 part of the edge in front of an app, in this process and without TLS. */
export async function startHttp2Server(app: TestApp, patience: ClientTimeouts): Promise<TestHttp2Server> {
  const logged: string[] = [];
  const log = (line: string) => void logged.push(line);
  const inFlight = new InFlight();
  const saved = { instanceId: 'i', port: 0, projects: [project('a', 'dep_1', app.target)], fences: {} };
  const traffic = {
    routes: new Routes(
      saved,
      async () => {},
      async () => {},
    ),
    inFlight,
    holds: new Holds(),
    upstreams: new Upstreams(() => {}),
    replicas: new ReplicaBalancer(),
    counts: new TrafficCounts(),
    front: new Front(null, { isUsable: () => false }),
    challenges: new Challenges(null),
    compressed: new CompressedFiles(newFolder('compressed'), log),
  };
  const http2 = new Http2Server(createRequestHandler(traffic, log, patience), patience);
  const server = createServer((socket) => http2.take(socket as TLSSocket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dialServer = () => dial((server.address() as AddressInfo).port, '127.0.0.1');
  const session = connect('http://a', {
    createConnection: dialServer,
    maxHeaderListPairs: 3000,
    maxSessionMemory: 500,
    settings: { maxHeaderListSize: 300_000 },
  });
  session.on('error', () => session.destroy());
  return {
    http2,
    inFlight,
    logged,
    dial: dialServer,
    session,
    close() {
      session.destroy();
      server.close();
    },
  };
}
