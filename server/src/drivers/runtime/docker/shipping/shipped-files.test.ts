import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { node } from '../../../../../test/rig/docker-images.ts';
import { has } from '../../../../../test/rig/parts.ts';
import type { ImageRelease, ServiceMount } from '../../runtime.ts';
import { type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import { ShippedFiles } from './shipped-files.ts';

describe.runIf(has('docker'))('source files on another server', () => {
  let engine: RuntimeEngine;
  let files: ShippedFiles;
  const root = newFolder('shipped');
  const at = (...parts: string[]) => join(root, ...parts);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const owner = {
    instanceId: 'inst',
    organizationId: 'org_1',
    projectId: 'prj_1',
    deploymentId: 'dep_1',
    service: 'web',
    fence: 1,
  };
  let imageId: string;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
    files = new ShippedFiles(engine.client, 'inst', root);
    imageId = (await engine.client.json<{ Id: string }>({ method: 'GET', path: `/images/${node.name}/json` })).Id;
  });
  afterAll(() => engine?.close());

  /** Returns the path on the other server, which is this machine in the test. */
  async function placed(path: string): Promise<string> {
    const mounts: ServiceMount[] = [{ type: 'bind', path, target: '/x', isReadOnly: false, propagation: null }];
    const spec = { imageId, owner, service: { mounts } } as unknown as ImageRelease;
    const [mount] = (await files.placed(spec)).service!.mounts;
    return (mount as { path: string }).path;
  }
  const remove = (path: string) => engine.client.json({ method: 'DELETE', path });

  it('are updated in writable folders before the container restarts', async () => {
    const bind = at('binds', 'prj_1', 'production', 'data');
    const give = (digest: string) => {
      write(join(bind, 'config'), digest);
      write(at('binds', 'prj_1', 'production', '@last-data'), digest);
    };
    give('new');
    const there = await placed(bind);
    writeFileSync(join(there, 'written'), 'by the container');
    writeFileSync(join(there, 'config'), 'changed by the container');
    await files.renew({ imageId, owner }, [there]);
    expect(readFileSync(join(there, 'config'), 'utf8')).toBe('changed by the container');
    give('old');
    await files.renew({ imageId, owner }, [there, '/etc/hosts', '/var/lib/docker/volumes/mooring-files-none/_data']);
    expect(readFileSync(join(there, 'config'), 'utf8')).toBe('old');
    expect(readFileSync(join(there, 'written'), 'utf8')).toBe('by the container');
  });

  it('cannot be led out of their folder by what the engine reports', async () => {
    const ours = at('key');
    write(ours, 'SECRET');
    const said = [
      { Name: 'mooring-files-x/../../key', Labels: { 'mooring.files': 'contents/gone' } },
      { Name: 'mooring-files-x', Labels: { 'mooring.files': 'contents/../../gone' } },
    ];
    const asked: string[] = [];
    const lying = {
      async json({ method, path }: { method: string; path: string }) {
        asked.push(`${method} ${path}`);
        return path === '/volumes' ? { Volumes: said } : [];
      },
    } as unknown as ConstructorParameters<typeof ShippedFiles>[0];
    expect(await new ShippedFiles(lying, 'inst', root).removeUnused()).toEqual([]);
    expect(asked).toEqual(['GET /containers/json', 'GET /volumes']);
    expect(readFileSync(ours, 'utf8')).toBe('SECRET');
  });

  it('leave no container of a killed copy behind, and spare a copy in progress', async () => {
    const labels = { 'mooring.instance': 'inst', 'mooring.files': 'prj_1' };
    const make = async (Labels: object) =>
      (await engine.post<{ Id: string }>('/containers/create', { Image: node.name, Cmd: ['/never'], Labels })).Id;
    const [left, other] = [await make(labels), await make({ ...labels, 'mooring.instance': 'another' })];
    const isThere = async (id: string) =>
      (
        await engine.client.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query: { all: true } })
      ).some(({ Id }) => Id === id);
    await files.removeUnused();
    expect(await isThere(left)).toBe(true);
    await files.removeUnused(Date.now() + 3 * 3_600_000);
    expect([await isThere(left), await isThere(other)]).toEqual([false, true]);
    await remove(`/containers/${other}`);
  });

  it('are removed when no container mounts them and nothing here needs them', async () => {
    const [kept, seen, gone] = ['a', 'b', 'c'].map((digest) => at('contents', 'prj_1', digest, 'content'));
    for (const path of [kept!, seen!, gone!]) write(join(path, 'file'), path);
    const data = at('binds', 'prj_1', 'production', 'other');
    write(join(data, 'file'), 'data');
    const volumes = Object.fromEntries(
      await Promise.all(
        [kept!, seen!, gone!, data].map(
          async (path) => [path, /mooring-files-\w+/.exec(await placed(path))![0]] as const,
        ),
      ),
    );
    expect(await files.removeUnused()).toEqual([]);
    const body = { Image: node.name, HostConfig: { Binds: [`${await placed(seen!)}:/x:ro`] } };
    const { Id } = await engine.post<{ Id: string }>('/containers/create', body);
    for (const path of [seen!, gone!, data]) rmSync(path, { recursive: true });
    expect(await files.removeUnused()).toEqual([volumes[gone!]]);
    await remove(`/containers/${Id}`);
    expect(await files.removeUnused()).toEqual([volumes[seen!]]);
    expect(await files.removeUnused()).toEqual([]);
    // Sent again, as if it had never been there.
    write(join(gone!, 'file'), 'again');
    expect(readFileSync(join(await placed(gone!), 'file'), 'utf8')).toBe('again');
    for (const path of [kept!, data]) await engine.client.json({ method: 'GET', path: `/volumes/${volumes[path]}` });
  });
});

it('source files on two servers of a cluster are told apart, and one that an earlier version sent is known', async () => {
  const root = newFolder('shipped');
  const path = join(root, 'binds', 'data');
  mkdirSync(path, { recursive: true });
  let made = 'on one';
  let copies = 0;
  const engine = {
    async json({ method, path: asked }: { method: string; path: string }) {
      if (method === 'PUT') copies++;
      if (asked.startsWith('/volumes/')) return { Mountpoint: '/there', Labels: { 'mooring.made': made } };
      return { Id: 'copy' };
    },
  } as unknown as ConstructorParameters<typeof ShippedFiles>[0];
  const mounts = [{ type: 'bind', path, target: '/x', isReadOnly: false, propagation: null }];
  const owner = { projectId: 'prj_1' };
  const spec = { imageId: 'x', owner, service: { mounts } } as unknown as ImageRelease;
  const sentTo = async (volume: string) => {
    [made, copies] = [volume, 0];
    await new ShippedFiles(engine, 'inst', root).placed(spec);
    return copies;
  };
  expect([await sentTo('on one'), await sentTo('on one')]).toEqual([1, 0]);
  const [note] = readdirSync(join(root, 'shipped')).map((name) => join(root, 'shipped', name));
  const [known] = Object.entries(JSON.parse(readFileSync(note!, 'utf8')) as Record<string, string>);
  writeFileSync(note!, JSON.stringify(known));
  expect([await sentTo('on one'), await sentTo('on two'), await sentTo('on one')]).toEqual([0, 1, 0]);
});
