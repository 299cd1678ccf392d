import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../../../test/rig/until.ts';
import type { EdgeRoute } from '../../edge.ts';
import type { FailureCause } from '../retries.ts';
import type { ConnectionUser } from './connection.ts';
import { Upstreams } from './upstreams.ts';

const probes: { host: string; end: (isThere: boolean) => void }[] = [];
vi.mock('./accepts-connections.ts', () => ({
  silentMs: 200,
  acceptsConnections: ({ host }: { host: string }) =>
    new Promise<boolean>((end) => {
      probes.push({ host, end });
    }),
}));
vi.mock('./lookup.ts', () => {
  const lookup: LookupFunction = (_name, _options, callback) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }] as never);
  return { lookup };
});

let server: Server;
let route: EdgeRoute;
const upstreams = new Upstreams(() => {});

beforeEach(async () => {
  probes.length = 0;
  server = createServer((req, res) => void (req.url === '/quick' && res.end('here')));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const target = { host: 'app', port: (server.address() as AddressInfo).port };
  const others = [{ host: 'other', port: 1 }];
  route = { host: 'a', path: '/', deploymentId: 'dep', target: { type: 'upstream', ...target, others } };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A request, and what became of it. */
function ask(path: string): { result: () => FailureCause | 'answered' | null | undefined } {
  let result: FailureCause | 'answered' | null | undefined;
  const connection = upstreams.connection(route, route.target as never, false);
  const user: ConnectionUser = {
    isSent: true,
    onReady: () => void connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
    onDrain: () => {},
    onContinue: () => {},
    onResponse: () => void (result = 'answered'),
    onUpgrade: () => {},
    onFailure: ({ cause }) => void (result = cause),
    onError: (error) => {
      throw error;
    },
  };
  connection.use(user, 'GET');
  return { result: () => result };
}

it('probes the machine that has the request, and not the one that its name leads to now', async () => {
  const waiting = ask('/never');
  await until('it is probed', () => probes.length === 1);
  expect(probes[0]!.host).toBe('127.0.0.1');
  probes[0]!.end(false);
  await until('it fails', () => waiting.result() === 'silent');
});

it('keeps the requests of a machine that accepts no connection, but goes on answering', async () => {
  const waiting = ask('/never');
  await until('it is probed', () => probes.length === 1);
  const quick = ask('/quick');
  await until('it is answered', () => quick.result() === 'answered');
  probes[0]!.end(false);
  // Until the next probe.
  await until('it is probed again', () => probes.length === 2);
  expect(waiting.result()).toBeUndefined();
  probes[1]!.end(true);
});
