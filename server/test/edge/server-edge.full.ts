import { StaleFenceError } from '../../src/drivers/stale-fence.ts';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../rig/children.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { entering } from '../rig/docker-namespace.ts';
import { ask, portOf, project, startLoad } from '../rig/edge.ts';
import { type EngineDoor, engineDoor } from '../rig/engine-over-ssh.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { appAt, bundlePrograms, serverEdges, wayTo, withNewProgram } from '../rig/server-edge.ts';
import { until } from '../rig/until.ts';
import { OwnContainers } from '../../src/drivers/runtime/docker/own-containers.ts';
import type { ServerEdge } from '../../src/drivers/edge/on-server/server-edge.ts';

describe.runIf(has('docker') && has('sshd'))('an edge on a server', () => {
  let docker: Docker;
  let door: EngineDoor;
  let edges: ReturnType<typeof serverEdges>;
  let edge: ServerEdge;
  let port: number;
  let app: Awaited<ReturnType<typeof appAt>>;
  const closing: (() => unknown)[] = [];
  const bundle = bundlePrograms();
  const name = 'mooring-edge-ins_1';
  beforeAll(async () => {
    docker = await startDocker();
    closing.push(() => docker.close());
    door = await engineDoor(docker.address);
    closing.push(() => door.close());
    edges = serverEdges(door.connect, bundle);
    closing.push(() => edges.close());
    port = await freePort();
    const way = await wayTo(docker.namespace.address, port);
    app = await appAt(docker.namespace.gateway, 'mine');
    closing.push(
      () => way.close(),
      () => app.close(),
    );
    edge = edges.driver({ port });
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const get = <T>(path: string) => docker.client.json<T>({ method: 'GET', path });
  const processes = async (pattern: RegExp): Promise<number[]> => {
    const { Titles, Processes } = await get<{ Titles: string[]; Processes: string[][] }>(`/containers/${name}/top`);
    const [pid, command] = [Titles.indexOf('PID'), Titles.indexOf('CMD')];
    return Processes.filter((each) => pattern.test(each[command]!)).map((each) => Number(each[pid]));
  };
  const said = async (host: string, path?: string) => (await ask(port, host, path)).text;

  it('is created from nothing, confined, and found by the next driver', async () => {
    const transfers: string[] = [];
    const both = [edge.ensure((what) => transfers.push(what)), edge.ensure((what) => transfers.push(what))];
    await Promise.all(both);
    expect(transfers).toEqual(
      Array(2).fill(expect.stringMatching(/^Sending the edge to the server \(about \d+ MB, first time only\)$/)),
    );
    const told = Number(/\d+/.exec(transfers[0]!)![0]);
    const sent = Number(/sent Node .*: ([\d.]+) MB/.exec(edges.reports.join())?.[1]);
    expect(Math.abs(sent - told) / sent).toBeLessThan(0.1);
    expect(portOf(edge)).toBe(port);
    const next = edges.driver({ port });
    await next.ensure();
    expect(await processes(/edge-/)).toHaveLength(1);
    const { Config, HostConfig } = await get<{ Config: object; HostConfig: object }>(`/containers/${name}/json`);
    expect(Config).toMatchObject({ Labels: { 'mooring.instance': 'ins_1', 'mooring.role': 'edge' } });
    expect(HostConfig).toMatchObject({
      NetworkMode: 'host',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
    });
    expect(await new OwnContainers(docker.client, 'ins_1').list()).toEqual([]);
    next.close();
  });

  it('responds, and keeps its routes', async () => {
    await edge.point(project('a.localhost', 'dep_1', app.target, 5));
    expect(await said('a.localhost')).toBe('mine');
    expect(await edge.list()).toEqual([project('a.localhost', 'dep_1', app.target, 5)]);
    await expect(edge.point(project('a.localhost', 'dep_0', app.target, 4))).rejects.toThrow(StaleFenceError);
    await expect(edge.point(project('A', 'dep_0', app.target, 4))).rejects.toThrow('not a host name');
    expect(await edge.drain('dep_1', 100)).toBe(0);
    await edge.answerChallengesAt({ host: '127.0.0.1', port: 1 });
    await edge.answerChallenge('given', 'given.thumb');
    expect(await said('b.localhost', '/.well-known/acme-challenge/given')).toBe('given.thumb');
  });

  it('serves folders of this machine, which are uploaded once', async () => {
    const [release, outside] = [newFolder('release'), newFolder('outside')];
    const folder = join(release, 'dist');
    mkdirSync(join(release, 'real/deep'), { recursive: true });
    symlinkSync('real', folder);
    writeFileSync(join(release, 'real/index.html'), 'home');
    writeFileSync(join(release, 'real/deep/page.html'), 'deep');
    writeFileSync(join(release, 'real/.env'), 'SECRET');
    writeFileSync(join(outside, 'secret.txt'), 'SECRET');
    symlinkSync(join(release, 'real/index.html'), join(release, 'real/deep/absolute.html'));
    symlinkSync('../index.html', join(release, 'real/deep/relative.html'));
    symlinkSync(join(outside, 'secret.txt'), join(release, 'real/out.txt'));
    symlinkSync('.env', join(release, 'real/hidden.txt'));
    const site = { type: 'static', folder, fallback: null, within: release } as const;
    const pointed = project('site.localhost', 'dep_site', site);
    await Promise.all([edge.point(pointed), edge.point(pointed)]);
    expect(await said('site.localhost')).toBe('home');
    expect(await said('site.localhost', '/deep/page')).toBe('deep');
    for (const path of ['/deep/absolute', '/deep/relative']) expect(await said('site.localhost', path)).toBe('home');
    for (const path of ['/out.txt', '/hidden.txt', '/.env', '/../origin.json'])
      expect(await ask(port, 'site.localhost', path)).toMatchObject({ status: 404 });
    expect(await edge.list()).toContainEqual(pointed);
    // Another driver does not trust the server about local names, and may set the same routes again.
    const other = edges.driver({ port });
    const known = (await other.list()).find(({ key }) => key === pointed.key)!;
    expect(known.routes[0]!.target).toMatchObject({ folder: expect.stringMatching(/^\/data\/sites\//) });
    await other.point(known);
    expect(await said('site.localhost')).toBe('home');
    await other.point(pointed);
    expect(await other.list()).toContainEqual(pointed);
    // A driver without the folder finds the upload.
    renameSync(release, `${release}-away`);
    const without = edges.driver({ port });
    await without.point(pointed);
    expect(await said('site.localhost')).toBe('home');
    expect(await without.list()).toContainEqual(pointed);
    renameSync(`${release}-away`, release);
    await edge.point({ ...pointed, fence: 2 });
    const astray = { ...site, folder: outside };
    await edge.point(project('astray.localhost', 'dep_astray', astray));
    expect(await ask(port, 'astray.localhost', '/secret.txt')).toMatchObject({ status: 404 });
    const missing = { ...site, folder: join(release, 'nothing') };
    await expect(edge.point(project('x.localhost', 'd', missing))).rejects.toThrow('nothing no longer exists');
  });

  it('removes unreferenced sites after a while', async () => {
    const sweeping = edges.driver({ port, sweeping: { unusedMs: 300, everyMs: 0 } });
    const folder = newFolder('site');
    writeFileSync(join(folder, 'index.html'), 'short');
    const pointed = project('short.localhost', 'dep_short', { type: 'static', folder, fallback: null });
    await sweeping.point(pointed);
    const { Mountpoint } = await get<{ Mountpoint: string }>(`/volumes/${name}`);
    const sites = () => readdirSync(join(Mountpoint, 'sites')).length;
    const before = sites();
    await sweeping.remove(pointed.key);
    await until('it is gone', async () => (await sweeping.list()) && sites() === before - 1);
    expect(await said('site.localhost')).toBe('home');
    sweeping.close();
  });

  it('recovers from a kill -9 with all its state', async () => {
    const gone = edge.gone();
    const [before] = await processes(/edge-/);
    process.kill(before!, 'SIGKILL');
    await gone;
    await until('it serves again', async () => (await said('a.localhost')) === 'mine');
    expect(await processes(/edge-/)).not.toContain(before);
    // Its supervisor ends the container, which the engine restarts.
    const [second] = await processes(/edge-/);
    process.kill((await processes(/^\/mooring\/node .* keep /))[0]!, 'SIGKILL');
    await until('a third one serves', async () => {
      const running = await processes(/edge-/);
      return running.length && !running.includes(second!) && (await said('a.localhost')) === 'mine';
    });
    expect(await edge.certificates()).toEqual([]);
  });

  it('is retried when the connection broke', async () => {
    const gone = edge.gone();
    let isGone = false;
    void gone.then(() => (isGone = true));
    for (const bridge of await processes(/ bridge /)) process.kill(bridge, 'SIGKILL');
    expect(await edge.list()).toHaveLength(3);
    const draining = edge.drain('dep_1', 100);
    door.cut();
    expect(await draining).toBe(0);
    expect(await Promise.all(Array.from({ length: 20 }, () => edge.held()))).toEqual(
      Array.from({ length: 20 }, () => []),
    );
    expect(isGone).toBe(false);
    await until('one bridge is left', async () => (await processes(/ bridge /)).length === 1);
  });

  it('hands over to a new program without a failed request', async () => {
    const load = startLoad(port, 'a.localhost', 8, ({ status, text }) => (status === 200 ? null : `${status} ${text}`));
    await until('load', () => load.requests() > 100);
    const [before] = await processes(/edge-/);
    const newer = withNewProgram(bundle);
    await edges.driver({ port, bundle: newer }).ensure();
    const count = load.requests();
    await until('more load', () => load.requests() > count + 200);
    await until('the old one goes', async () => !(await processes(/edge-/)).includes(before!));
    await load.stop();
    expect(load.failures).toEqual([]);
    const { Mountpoint } = await get<{ Mountpoint: string }>(`/volumes/${name}`);
    const programs = () => readdirSync(join(Mountpoint, 'programs')).filter((each) => each.startsWith('edge-'));
    expect(programs()).toHaveLength(2);
    await edges.driver({ port, bundle: newer }).list();
    await until('the old program is removed', () => programs().length === 1);
    // The newer program is also the one that restarts.
    process.kill((await processes(/edge-/))[0]!, 'SIGKILL');
    await until('it serves again', async () => (await said('a.localhost')) === 'mine');
    edge = edges.driver({ port, bundle: newer });
    const [running] = await processes(/edge-/);
    await edge.ensure();
    expect(await processes(/edge-/)).toEqual([running]);
  });

  it('leaves the old program serving if the new one does not start', async () => {
    const broken = { ...bundle, program: join(newFolder('program'), 'edge.cjs') };
    writeFileSync(broken.program, 'process.exit(3)');
    await expect(edges.driver({ port, bundle: broken }).ensure()).rejects.toThrow(
      /exited with 3 .*edge\.log in the volume/,
    );
    expect(await said('a.localhost')).toBe('mine');
  });

  it('is recreated if its container was removed', async () => {
    await docker.client.json({ method: 'DELETE', path: `/containers/${name}`, query: { force: true } });
    expect((await edge.list()).map(({ key }) => key)).toContain('a.localhost/production');
    expect(await said('a.localhost')).toBe('mine');
    expect(await said('site.localhost')).toBe('home');
  });

  it('trusts the proxies of the settings', async () => {
    const { gateway } = docker.namespace;
    const echo = await appAt(gateway, ({ headers }) => String(headers['x-forwarded-for']));
    closing.push(() => echo.close());
    await edge.point(project('c.localhost', 'dep_3', echo.target, 1));
    const seen = async () =>
      (await ask(port, 'c.localhost', '/', { headers: { 'x-forwarded-for': '192.0.2.7' } })).text;
    expect(await seen()).toBe(gateway);
    const trusting = async (trustedProxies: string[]) =>
      edges.driver({ port, clients: { trustedProxies, perAddress: 1000 } }).ensure();
    await trusting([gateway]);
    expect(await seen()).toBe('192.0.2.7');
    await trusting([]);
    expect(await seen()).toBe(gateway);
  });

  it('moves to another port, but not to a taken one, and names the field', async () => {
    const taken = await freePort();
    const program = `require('http').createServer().listen(${taken})`;
    const [enter, ...args] = [...entering(docker.namespace), process.execPath, '-e', program];
    const nginx = spawnRecorded(enter!, args, { stdio: 'ignore' });
    await until('it listens', () => listensAt(docker.namespace.address, taken));
    const words = new RegExp(`port ${taken} of 0.0.0.0 is in use by another program.*edgePort of the server`);
    await expect(edges.driver({ port: taken }).ensure()).rejects.toThrow(words);
    expect(await said('a.localhost')).toBe('mine');
    const stranger = edges.driver({ port: taken, instanceId: 'ins_2' });
    await expect(stranger.ensure()).rejects.toThrow(words);
    nginx.kill();
    await exited(nginx);
    // Two replicas of a service at once.
    await Promise.all([stranger.ensure(), edges.driver({ port: taken, instanceId: 'ins_2' }).ensure()]);
    await stranger.dismantle();
    await expect(get(`/volumes/mooring-edge-ins_2`)).rejects.toMatchObject({ status: 404 });
    edges.reports.splice(0);
    const moved = edges.driver({ port: taken });
    await moved.ensure();
    expect(edges.reports.join()).toMatch(/was down for \d+ ms/);
    expect(await listensAt(docker.namespace.address, taken)).toBe(true);
    await moved.stop();
    expect(await listensAt(docker.namespace.address, taken)).toBe(false);
  });
});

const listensAt = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
