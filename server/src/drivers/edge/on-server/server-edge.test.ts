import { createServer } from 'node:http';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { type Docker, startDocker } from '../../../../test/rig/docker.ts';
import { ask, portOf, project, startLoad } from '../../../../test/rig/edge.ts';
import { type EngineDoor, engineDoor } from '../../../../test/rig/engine-over-ssh.ts';
import { has } from '../../../../test/rig/parts.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { appAt, bundlePrograms, serverEdges, wayTo, withNewProgram } from '../../../../test/rig/server-edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { OwnContainers } from '../../runtime/docker/own-containers.ts';
import { StaleFenceError } from '../edge.ts';
import type { ServerEdge } from './server-edge.ts';

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
    closing.push(way.close, app.close);
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

  it('is made from nothing, in a box of its own, and found by whoever comes next', async () => {
    const began = Date.now();
    await edge.ensure();
    const first = Date.now() - began;
    expect(edges.reports.join()).toMatch(/sent Node .* MB/);
    expect(portOf(edge)).toBe(port);
    const next = edges.driver({ port });
    const again = Date.now();
    await next.ensure();
    console.log(`first ${first} ms, later ${Date.now() - again} ms, ${edges.reports.join('; ')}`);
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

  it('answers, and keeps what it was told', async () => {
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
});
