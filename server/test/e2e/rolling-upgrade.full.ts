import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { makeRelease, newReleaseKey } from '../rig/bundles.ts';
import { newFolder } from '../rig/children.ts';
import { begin, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { startHaproxy } from '../rig/haproxy.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { newDatabase } from '../rig/postgres.ts';
import { type Service, startService } from '../rig/service.ts';

const lanes = 6;
type Call = { method: string; path: string; body?: object };

describe.runIf(has('haproxy') && has('postgres'))('replicas behind HAProxy are upgraded one after the other', () => {
  const newer = join(newFolder('newer'), '99.0.0');
  const ports: number[] = [];
  const folders = [newFolder('data'), newFolder('data')];
  let env: Record<string, string>;
  const replicas: Service[] = [];
  let balancer: Awaited<ReturnType<typeof startHaproxy>>;

  const start = (i: number, program?: [string, string]) =>
    startService({
      dataDir: folders[i]!,
      env: { ...env, PORT: String(ports[i]) },
      ...(program && { program }),
    });

  beforeAll(async () => {
    makeRelease(newer, '99.0.0', newReleaseKey(), 'columns');
    env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_DRAIN_SECONDS: '4',
      MOORING_TRUSTED_PROXIES: '127.0.0.1',
      MOORING_LOG_LEVEL: 'warn',
    };
    ports.push(await freePort(), await freePort());
    for (const i of [0, 1]) replicas.push(await start(i));
    balancer = await startHaproxy(replicas.map(({ url }) => url));
  }, 60_000);
  afterAll(async () => {
    balancer?.stop();
    await Promise.all(replicas.map((each) => each.stop()));
  });

  const versionOf = async (url: string) => (await json<{ version: string }>(fetch(`${url}/api/health`))).version;

  it('loses no request, no event and no deployment', async () => {
    const through = { ...replicas[0]!, url: balancer.url } as Service;
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' };
    through.get = (path) => fetch(balancer.url + path, { headers });
    through.post = (path, body) => fetch(balancer.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const project = await ensureProject(through, 'busy');
    const calls: Call[] = [
      { method: 'GET', path: '/api/projects' },
      { method: 'GET', path: `/api/projects/${project}` },
      { method: 'GET', path: '/api/deployments' },
      { method: 'POST', path: '/api/projects/ensure', body: { name: 'busy' } },
      { method: 'PATCH', path: `/api/projects/${project}`, body: { rollbackWindow: 3 } },
    ];
    const load = askEndlessly(balancer.url, calls);
    const small = await ensureProject(through, 'small');
    const held = 'const end = Date.now() + 6000; while (Date.now() < end);';
    let reconnected = 0;
    const all = [...replicas];
    for (const i of [0, 1]) {
      const old = replicas[i]!;
      const id = await begin(through, small, nodeApp(`v${i}`, held));
      const follower = follow(balancer.url, id);
      const began = Date.now();
      const stopped = old.stop('SIGTERM');
      await sleep(1000);
      expect((await fetch(`${old.url}/api/health`)).status).toBe(503);
      expect(await stopped).toBe(0);
      const outMs = Date.now() - began;
      replicas[i] = await start(i, [process.execPath, join(newer, 'server/dist/main.js')]);
      all.push(replicas[i]!);
      const over = await ended(through, id, 60_000);
      expect([over.status, over.error]).toEqual(['ready', null]);
      const seen = (await follower.ended).map((event) => event.id);
      expect(seen).toEqual(seen.map((_, at) => at + 1));
      reconnected += follower.connections - 1;
      sayFigures(`replica ${i} is replaced`, { drainedMs: outMs, wholeMs: Date.now() - began });
      // The new version has migrated the database; the old one works beside it.
      await sleep(5000);
      expect(await Promise.all(replicas.map(({ url }) => versionOf(url)))).toContain('99.0.0');
    }
    const answers = await load.stop();
    sayFigures('requests during the upgrade', { ...Object.fromEntries(answers), reconnected });
    const said = all.map((each) => each.output()).join('\n');
    expect(
      [...answers.keys()].filter((answer) => !answer.startsWith('2')),
      said,
    ).toEqual([]);
    expect(await Promise.all(replicas.map(({ url }) => versionOf(url)))).toEqual(['99.0.0', '99.0.0']);
  }, 120_000);

  it('stops at once on a second signal', async () => {
    const [first] = replicas;
    const began = Date.now();
    first!.child.kill('SIGTERM');
    await sleep(500);
    expect(await first!.stop('SIGTERM')).toBe(0);
    expect(Date.now() - began).toBeLessThan(3500);
  });
});

/** Sends these requests in turns over connections that stay open, until stopped; counts the answers. */
function askEndlessly(url: string, calls: Call[]): { stop(): Promise<Map<string, number>> } {
  const answers = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const stopping = new AbortController();
  const ask = ({ method, path, body }: Call) =>
    new Promise<string>((resolve) => {
      const text = body && JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${ownerToken}`,
        ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const sent = request(url + path, { method, headers, agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(String(response.statusCode)));
        response.once('error', (error) => resolve(`${method} ${error.message}`));
      });
      sent.once('error', (error) => resolve(`${method} ${error.message}`)).end(text);
    });
  const lane = async (at: number) => {
    for (let i = at; !stopping.signal.aborted; i++) {
      const answer = await ask(calls[i % calls.length]!);
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await sleep(20);
    }
  };
  const all = Array.from({ length: lanes }, (_, i) => lane(i));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(all);
      agent.destroy();
      return answers;
    },
  };
}
