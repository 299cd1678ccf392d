import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asked, countIn, visit, whoIn } from '../rig/cut-over.ts';
import { sayFigures } from '../rig/figures.ts';
import { readInside } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { localImage, proxyProgram, startSwarmHost, type SwarmHost } from '../rig/platform-swarm.ts';
import { until } from '../rig/until.ts';

const ending = `process.on('SIGTERM', () => server.close(() => process.exit(0)));`;
/** Responds with its container and a variable. */
const appProgram = `
const server = require('node:http').createServer((request, response) => {
  response.setHeader('connection', 'close').end(require('node:os').hostname() + ' ' + process.env.LEVEL);
}).listen(8080);${ending}`;
/** Responds with its container and the number of requests counted in the volume. */
const dataProgram = `
const { appendFileSync, statSync } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  appendFileSync('/data/visits', 'x');
  response.setHeader('connection', 'close').end(require('node:os').hostname() + ' ' + statSync('/data/visits').size);
}).listen(8080);${ending}`;

describe.runIf(has('docker') && has('sshd'))('adoption of what Dokploy runs', () => {
  let host: SwarmHost;
  beforeAll(async () => {
    host = await startSwarmHost('dokploy-network');
  });
  afterAll(() => host?.close());

  it('replaces applications without a failed request, and databases with their data', async () => {
    const { quay, proxy } = host;
    const data = { Type: 'volume', Source: 'forum-db-c3d4-data', Target: '/data' };
    const traefik = await quay.run('dokploy-traefik', {
      Cmd: ['node', '-e', proxyProgram],
      ExposedPorts: { '80/tcp': {} },
      HostConfig: { NetworkMode: 'dokploy-network', PortBindings: { '80/tcp': [{ HostPort: '80' }] } },
    });
    await host.serve('dokploy-postgres', dataProgram, {
      container: { Mounts: [{ ...data, Source: 'dokploy-postgres' }] },
    });
    const web = await host.serve('forum-web-a1b2', appProgram, {
      replicas: 2,
      container: { Env: ['LEVEL=a$b', 'DB=forum-db-c3d4'] },
      task: { RestartPolicy: { Condition: 'on-failure' } },
      spec: { UpdateConfig: { Parallelism: 1, Order: 'start-first' } },
    });
    const db = await host.serve('forum-db-c3d4', dataProgram, {
      container: { Mounts: [data] },
      task: { Placement: { Constraints: ['node.role==manager'] } },
    });
    const found = (await quay.scanned()).services;
    expect(found.map(({ name, adoptable, managedBy, replicas }) => [name, adoptable, managedBy, replicas])).toEqual([
      ['dokploy-postgres', false, 'dokploy', 1],
      ['dokploy-traefik', false, 'dokploy', 1],
      ['forum-db-c3d4', true, 'dokploy', 1],
      ['forum-web-a1b2', true, 'dokploy', 2],
    ]);
    expect(found[3]).toMatchObject({ image: localImage, ports: [], networks: [{ name: 'dokploy-network' }] });

    const before = countIn(await asked(`${proxy}/forum-db-c3d4/`));
    const project = await quay.adopt('forum', ['forum-web-a1b2', 'forum-db-c3d4']);
    expect((await quay.plan(project)).map(({ name, strategy, reason }) => [name, strategy, reason])).toEqual([
      ['forum-web-a1b2', 'start_first', 'takes over from the Swarm service forum-web-a1b2'],
      [
        'forum-db-c3d4',
        'stop_first',
        'takes over from the Swarm service forum-db-c3d4; they share the volume forum-db-c3d4-data',
      ],
    ]);
    await quay.killable.now.patch(`/api/projects/${project}`, {
      publicEndpoints: [{ service: 'forum-web-a1b2', port: 8080 }],
    });
    const visiting = visit(`${proxy}/forum-web-a1b2/`);
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready', error: null });
    expect(await host.running(web)).toBe(0);
    const there = await visiting.stop();
    expect(there.failed).toBe(0);
    expect(new Set(there.answers.map((answer) => answer.split(' ')[1]))).toEqual(new Set(['a$b']));
    expect(whoIn(there.answers).length).toBeGreaterThanOrEqual(3);
    expect([await host.replicasOf(web), await host.replicasOf(db)]).toEqual([0, 0]);
    expect(await host.atEdge('forum.apps.example.com')).toContain('a$b');
    const during = countIn(await asked(`${proxy}/forum-db-c3d4/`));
    expect(during).toBeGreaterThan(before);
    expect(await quay.shown(project)).toMatchObject({
      state: 'switched',
      services: [
        { name: 'forum-web-a1b2', originals: [{ id: web, standing: 'stopped', running: false }] },
        { name: 'forum-db-c3d4', originals: [{ id: db, standing: 'stopped', running: false }] },
      ],
    });

    const back = visit(`${proxy}/forum-web-a1b2/`);
    const undone = await quay.undone(project);
    const again = await back.stop();
    expect([undone.restored.toSorted(), undone.warnings]).toEqual([['forum-db-c3d4', 'forum-web-a1b2'], []]);
    expect(again.failed).toBe(0);
    expect([await host.running(web), await host.replicasOf(db)]).toEqual([2, 1]);
    expect(countIn(await asked(`${proxy}/forum-db-c3d4/`))).toBeGreaterThan(during);
    expect(await quay.ours(project)).toEqual({});

    expect(await quay.deployed(project)).toMatchObject({ status: 'ready', error: null });
    expect(await (await quay.confirm(project)).json()).toMatchObject({ warnings: [] });
    expect([await host.replicasOf(web), await host.replicasOf(db)]).toEqual([undefined, undefined]);
    expect(countIn(await asked(`${proxy}/forum-db-c3d4/`))).toBeGreaterThan(during);
    expect((await quay.look(traefik))?.State.Running).toBe(true);
  });
});

describe.runIf(has('docker') && has('sshd'))('adoption of what CapRover runs', () => {
  let host: SwarmHost;
  let project: string;
  const before: Record<string, string> = {};
  beforeAll(async () => {
    host = await startSwarmHost('captain-overlay-network');
    const logs = { LogDriver: { Name: 'json-file', Options: { 'max-size': '512m' } } };
    const Ports = [{ Protocol: 'tcp', TargetPort: 80, PublishedPort: 80, PublishMode: 'host' }];
    before['nginx'] = await host.serve('captain-nginx', proxyProgram, {
      task: logs,
      spec: { EndpointSpec: { Mode: 'dnsrr', Ports } },
    });
    const Mounts = [{ Type: 'volume', Source: 'captain--wiki-data', Target: '/data' }];
    const wiki = { container: { Mounts, Env: ['LEVEL=1'] }, task: logs };
    before['wiki'] = await host.serve('srv-captain--wiki', dataProgram, wiki);
    before['api'] = await host.serve('srv-captain--api', appProgram, { container: { Env: ['LEVEL=2'] }, task: logs });
  });
  afterAll(() => host?.close());

  const wiki = () => `${host.proxy}/srv-captain--wiki/`;
  /** Exactly one version of each service runs. */
  const requireOne = async (which: 'ours' | 'originals') => {
    const isOurs = which === 'ours';
    const names = ['srv-captain--api', 'srv-captain--wiki'];
    expect(Object.keys(await host.quay.ours(project)).toSorted()).toEqual(isOurs ? names : []);
    for (const id of [before['wiki']!, before['api']!]) {
      expect(await host.replicasOf(id)).toBe(isOurs ? 0 : 1);
      await until('its tasks are as they should', async () => (await host.running(id)) === (isOurs ? 0 : 1));
    }
  };

  it('finds apps, and what cannot be adopted', async () => {
    const found = (await host.quay.scanned()).services;
    expect(found.map(({ name, adoptable, managedBy }) => [name, adoptable, managedBy])).toEqual([
      ['captain-nginx', false, 'caprover'],
      ['srv-captain--api', true, 'caprover'],
      ['srv-captain--wiki', true, 'caprover'],
    ]);
    expect(found[0]!.ports).toMatchObject([{ target: 80, published: 80 }]);
    expect(found[0]!.warnings).toEqual(['it is a part of caprover itself']);
    project = await host.quay.adopt('wiki', ['srv-captain--wiki', 'srv-captain--api']);
  });

  it('completes in both directions with the service killed at any moment, and keeps the data', async () => {
    const seen: Record<string, string> = {};
    let count = countIn(await asked(wiki()));
    const state = () =>
      readInside(host.quay.killable.now.dataDir, (database) => {
        const row = database.prepare('select state, originals from adoptions').get() as Record<string, string>;
        return `${row['state']}, ${row['originals']!.split('"held"').length - 1} held`;
      });
    const killAfter = async (ms: number) => {
      await sleep(ms);
      await host.quay.killable.kill();
      const found = state();
      await host.quay.killable.start();
      return found;
    };
    const requireData = async () => {
      const now = countIn(await asked(wiki()));
      expect(now).toBeGreaterThan(count);
      count = now;
    };
    for (const ms of [1500, 3000, 4500]) {
      const id = await host.quay.begin(project);
      seen[`there ${ms}`] = await killAfter(ms);
      expect(await host.quay.settled(id)).toMatchObject({ status: 'ready', error: null });
      await requireOne('ours');
      await requireData();
      const cutOff = host.quay.undo(project).catch((error: Error) => error);
      seen[`back ${ms}`] = await killAfter(ms / 10);
      await cutOff;
      // Either it had started and completes on restart, or the request was lost.
      if (!state().startsWith('undo')) await host.quay.undone(project);
      await until('it is undone', () => state().startsWith('undone, 0'), 40_000);
      await requireOne('originals');
      await requireData();
    }
    sayFigures('what each kill found', seen);
    expect(new Set(Object.values(seen)).size).toBeGreaterThan(2);
    expect(await host.replicasOf(before['nginx']!)).toBe(1);
  }, 600_000);
});
