import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import type { EngineConnect } from '../docker/engine/client.ts';
import { retryWhileEngineAway } from '../docker/engine/retry.ts';
import { ManagerConnections } from './manager-connect.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An engine that says whether it is a manager. */
async function engine(name: string) {
  const state = { isManager: true };
  const server = createServer((request, response) => {
    response.setHeader('api-version', '1.41');
    const isFine = state.isManager || request.url === '/_ping';
    response.statusCode = isFine ? 200 : 503;
    response.end(JSON.stringify(isFine ? { name } : { message: 'This node is not a swarm manager. Use ...' }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { state, server, connect: () => connect({ host: '127.0.0.1', port }) };
}

it('another manager takes over, and is left when it becomes a worker', async () => {
  const [one, two] = [await engine('one'), await engine('two')];
  let isAway = true;
  const head = () => (isAway ? new LazyStream(() => Promise.reject(new Error('away'))) : one.connect());
  let known: EngineConnect[] = [head, two.connect];
  const managers: ManagerConnections = new ManagerConnections(
    () => (known.length ? known : [head]),
    (worker) => {
      known = known.filter((each) => each !== worker);
      managers.leave(worker);
    },
  );
  const client = managers.client();
  const steadily = retryWhileEngineAway(client, 2000);
  const asked = () => steadily(() => client.json<{ name: string }>({ method: 'GET', path: '/nodes' }));
  expect(await asked()).toEqual({ name: 'two' });
  isAway = false;
  two.state.isManager = false;
  expect([await asked(), known]).toEqual([{ name: 'one' }, [head]]);
  one.state.isManager = false;
  setTimeout(() => (one.state.isManager = true), 1000);
  known = [head];
  expect(await asked(), 'waits for a leader').toEqual({ name: 'one' });
  client.close();
});

it('a connection that is closed before it is open does not hang', async () => {
  const closed = () => {
    const stream = new LazyStream(() => new Promise(() => {}));
    setTimeout(() => stream.destroy(), 10);
    return stream;
  };
  const stream = new ManagerConnections(
    () => [closed],
    () => {},
  ).connect();
  await expect(new Promise((_, reject) => stream.once('error', reject))).rejects.toThrow('the connection was closed');
});
