import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deploy, ended, ensureProject, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { type Gates, startGates } from '../rig/docker-gate.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { containersOf, imagesOf } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, query } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit, type Visitors } from '../rig/visitors.ts';

const ownerOf = ({ now }: Killable): string => readFileSync(join(now.dataDir, 'replica.id'), 'utf8').trim();
const suspendedMs = 60_000;
type Row = { id: string; machine: string; active: number; lease_owner: string | null; artifact_kept: number };

describe.runIf(has('docker') && has('sshd') && has('postgres'))('two replicas with one server', () => {
  let server: ManagedServer;
  let git: GitServer;
  let gates: Gates;
  let database: string;
  let replicas: [Killable, Killable];
  let project: string;
  let visitors: Visitors;
  const closing: (() => unknown)[] = [];
  let count = 0;

  beforeAll(async () => {
    server = await startManagedServer();
    closing.push(() => server.close());
    await makeImage(server.docker.client, node);
    [git, gates] = await Promise.all([startGitServer(), startGates(server.docker.namespace)]);
    closing.push(
      () => git.stop(),
      () => gates.stop(),
    );
    database = await newDatabase(inject('postgresUrl'));
    const env = {
      DATABASE_URL: database,
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_LOG_LEVEL: 'info',
      MOORING_START_TIMEOUT: '20',
    };
    replicas = [await startKillable(env), await startKillable(env)];
    closing.push(...replicas.map((each) => () => each.now.stop()));
    const [a] = replicas;
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    const { data } = await json<{ data: { id: string } }>(a.now.post('/api/servers', body));
    const source = { type: 'git', url: git.url('shared'), branch: 'main' };
    project = await ensureProject(a.now, 'shared', { source, serverId: data.id, rollbackWindow: 1 });
    const first = await released(a, dockerApp('v0'), 'v0');
    visitors = startVisitors(first.urls[0]!, 'v0', smallCrowd, server.address);
  }, 120_000);
  afterAll(async () => {
    await visitors?.stop();
    for (const each of closing.toReversed()) await each();
  });

  const rows = async (where = 'true') =>
    (await query(database, `select * from deployments where ${where} order by id`)) as Row[];
  const rowOf = async (id: string) => (await rows(`id = '${id}'`))[0]!;
  const upkeeper = async () => (await query(database, 'select owner from server_upkeep')).map(({ owner }) => owner);
  const url = 'http://shared.apps.example.com:8080';
  const serving = async (at = url) => (await visit(at, '/', { agent: false, address: server.address })).release;
  const next = () => {
    const version = `v${++count}`;
    visitors.allow(version);
    return version;
  };

  async function begun({ now }: Killable, folder: string, version: string): Promise<string> {
    git.push('shared', folder, version);
    const body = { projectId: project };
    return (await json<{ data: { id: string } }>(now.post('/api/deployments', body))).data.id;
  }
  const released = async (by: Killable, folder: string, version: string) => {
    const over = await ended(by.now, await begun(by, folder, version), 60_000);
    expect([over.status, over.error]).toEqual(['ready', null]);
    return over;
  };
  const atRest = () => until('all is at rest', async () => !(await rows('lease_owner is not null')).length, 60_000);

  /** The server's state matches the database. */
  async function nothingIsLeft(): Promise<void> {
    await atRest();
    const look = async () => {
      const containers = (await containersOf(server.docker)).filter(({ Labels }) => Labels?.['mooring.deployment']);
      const running = containers.filter(({ State }) => State === 'running');
      const ids = (list: typeof containers) => list.map(({ Labels }) => Labels!['mooring.deployment']!).toSorted();
      const tags = (await imagesOf(server.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
      const kept = (await rows('artifact_kept = 1')).map(({ id }) => id);
      expect(ids(running)).toEqual((await rows('active = 1')).map(({ id }) => id));
      expect(ids(containers)).toEqual(kept);
      expect(tags.filter((tag) => tag.startsWith('mooring/')).map((tag) => tag.split(':')[1])).toEqual(
        expect.arrayContaining(kept),
      );
      return true;
    };
    await until('nothing is left', look, 40_000);
    expect(visitors.figures.failures).toEqual([]);
  }

  it('deploy there in turns', async () => {
    const machines = new Set<string>();
    for (const by of [...replicas, ...replicas]) {
      const version = next();
      const { id } = await released(by, dockerApp(version), version);
      const release = await serving();
      expect(release.split(' ')[0]).toBe(version);
      visitors.expect(release);
      machines.add((await rowOf(id)).machine);
    }
    expect(machines.size).toBe(2);
    await nothingIsLeft();
  }, 120_000);

  it('have separate projects there, and remove nothing of each other', async () => {
    const { data: servers } = await json<{ data: { id: string }[] }>(replicas[0].now.get('/api/servers'));
    const there = { deployTarget: 'server', serverId: servers[0]!.id };
    for (const [i, { now }] of replicas.entries())
      expect(await deploy(now, await ensureProject(now, `own-${i}`), dockerApp(`own-${i}`), there)).toMatchObject({
        status: 'ready',
      });
    const from = replicas.map(({ now }) => now.output().length);
    const urls = replicas.map((_, i) => `http://own-${i}.apps.example.com:8080`);
    const others = urls.map((at, i) => startVisitors(at, `own-${i}`, smallCrowd, server.address));
    await sleep(35_000);
    const figures = await Promise.all(others.map((each) => each.stop()));
    sayFigures('beside each other', { requests: figures.map(({ requests }) => requests) });
    expect(figures.flatMap(({ failures }) => failures)).toEqual([]);
    const said = replicas.map(({ now }, i) => now.output().slice(from[i]));
    expect(said.join('').match(/removing|removed|again|not ours/gi) ?? [], said.join('')).toEqual([]);
    expect((await upkeeper()).length).toBe(1);
    await nothingIsLeft();
  }, 120_000);

  const holds = {
    build: (version: string, gate: { wait: string }) =>
      dockerApp(version, { scripts: { build: `echo building; ${gate.wait}` } }),
    check: (version: string, gate: { at: string }) => dockerApp(version, { listensWhen: gate.at }),
  };

  it.each([
    { phase: 'build', by: 0, how: 'killed' },
    { phase: 'check', by: 1, how: 'killed' },
    { phase: 'build', by: 1, how: 'killed' },
    { phase: 'check', by: 0, how: 'killed' },
    { phase: 'build', by: 0, how: 'suspended' },
    { phase: 'check', by: 1, how: 'suspended' },
  ] as const)(
    'one is $how in $phase, and the other takes over (of $by)',
    async ({ phase, by, how }) => {
      const [killed, other] = [replicas[by]!, replicas[1 - by]!];
      const [version, gate] = [next(), gates.newGate()];
      const id = await begun(killed, holds[phase](version, gate), version);
      await until('it is held', () => gate.isReached!(), 30_000);
      const { machine } = await rowOf(id);
      const holder = machine === ownerOf(killed) ? killed : other;
      const rest = holder === killed ? other : killed;
      const follower = follow(rest.now.url, id);
      const began = Date.now();
      if (how === 'killed') await holder.kill();
      else holder.now.child.kill('SIGSTOP');
      await until('the other has it', async () => (await rowOf(id)).machine !== machine, 40_000);
      const takenAfterMs = Date.now() - began;
      gate.open();
      const { status, error } = await ended(rest.now, id, 60_000);
      sayFigures(`${how} in ${phase}`, { takenAfterMs, wholeMs: Date.now() - began });
      expect([status, error]).toEqual(['ready', null]);
      const release = await serving();
      expect(release.split(' ')[0]).toBe(version);
      visitors.expect(release);
      const seen = (await follower.ended).map((event) => event.id);
      expect(seen).toEqual(seen.map((_, i) => i + 1));
      await until('somebody looks after the server', async () => (await upkeeper())[0] === ownerOf(rest), 60_000);
      await nothingIsLeft();
      if (how === 'killed') await holder.start();
      else {
        await sleep(Math.max(0, began + suspendedMs - Date.now()));
        holder.now.child.kill('SIGCONT');
      }
      await sleep(3000);
      expect((await serving()).split(' ')[0]).toBe(version);
      await nothingIsLeft();
    },
    240_000,
  );

  it('are never noticed by a client', async () => {
    const { versions, ...figures } = await visitors.stop();
    sayFigures('visitors', { ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
  });
});
