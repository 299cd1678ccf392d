import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EngineClient, engineAt } from '../engine/client.ts';
import { surveyEngine } from './survey.ts';

const idOf = (number: number) => String(number).padStart(64, '0');
const whole = { State: { Status: 'running' }, Config: {}, HostConfig: {}, NetworkSettings: {} };

type Answers = { count?: number; inspect?: (id: string) => [status: number, body: object] };

/** An HTTP server that responds like an engine and counts calls. */
async function engineOf({ count = 30, inspect = (id) => [200, { Id: id, ...whole }] }: Answers = {}) {
  const seen = { calls: 0, atOnce: 0, most: 0 };
  const answerTo = (path: string): [number, unknown] => {
    if (path === '/info') return [200, { ServerVersion: '28.5.2' }];
    if (path === '/containers/json')
      return [200, Array.from({ length: count }, (_, i) => ({ Id: idOf(i), State: 'running' }))];
    if (path === '/volumes') return [200, { Volumes: null }];
    if (path === '/images/json' || path === '/networks') return [200, []];
    return inspect(path.split('/')[2]!);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://x');
    seen.calls++;
    if (pathname === '/_ping') {
      response.writeHead(200, { 'api-version': '1.51' }).end('OK');
      return;
    }
    seen.most = Math.max(seen.most, ++seen.atOnce);
    const [status, body] = answerTo(pathname.replace(/^\/v1\.51/, ''));
    setTimeout(() => {
      seen.atOnce--;
      response.writeHead(status).end(JSON.stringify(body));
    }, 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new EngineClient(engineAt(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`));
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { client, seen };
}

describe('engine survey', () => {
  it('inspects each container once, a few at a time, and treats missing fields as empty', async () => {
    const { client, seen } = await engineOf();
    const survey = await surveyEngine(client, AbortSignal.timeout(10_000));
    expect(survey.containers.map(({ Id }) => Id)).toEqual(Array.from({ length: 30 }, (_, i) => idOf(i)));
    expect(survey).toMatchObject({
      engine: { version: '28.5.2', apiVersion: '1.51', swarm: false },
      volumes: [],
      leftOut: 0,
    });
    expect(survey.containers[0]).toMatchObject({ Mounts: [], Config: { Env: [], Cmd: null, Labels: {} } });
    expect(seen.calls).toBe(6 + 30);
    expect(seen.most).toBeLessThanOrEqual(8);
  });

  it('skips containers removed meanwhile', async () => {
    const gone = (id: string): [number, object] =>
      id === idOf(3) ? [404, { message: 'gone' }] : [200, { Id: id, ...whole }];
    const { client } = await engineOf({ inspect: gone });
    expect((await surveyEngine(client, AbortSignal.timeout(10_000))).containers).toHaveLength(29);
  });

  it('inspects a bounded number of containers, and returns how many are left', async () => {
    const { client } = await engineOf({ count: 2003 });
    const { containers, leftOut } = await surveyEngine(client, AbortSignal.timeout(30_000));
    expect([containers.length, leftOut]).toEqual([2000, 3]);
  });

  it('stops sending requests once it has failed', async () => {
    const { client, seen } = await engineOf({ count: 500, inspect: () => [200, { nonsense: true }] });
    const over = new AbortController();
    await expect(surveyEngine(client, over.signal)).rejects.toThrow('not a container engine');
    over.abort();
    const before = seen.calls;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen.calls - before).toBeLessThanOrEqual(8);
    expect(seen.calls).toBeLessThan(60);
  });
});
