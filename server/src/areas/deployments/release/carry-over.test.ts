import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import type { Owner, ServiceRuntime } from '../../../drivers/runtime/runtime.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { Folders, type Parts } from '../model/parts.ts';
import type { Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';
import { carryOver, keepInEngine, setFoldersAside } from './carry-over.ts';
import { layOutVolumes } from './volumes.ts';

const key = 'prj_1/production';
const stack = {
  project: {
    services: [{ name: 'app', mounts: [{ type: 'volume', isOfProject: true, volume: 'data', target: 'data' }] }],
    volumes: [{ name: 'data', externalName: null }],
  },
} as unknown as Stack;
const deploymentOf = (id: string) =>
  ({ id, projectId: 'prj_1', environment: 'production', artifactId: 'dep_0' }) as DeploymentRow;

/** An engine that keeps the files of its volumes in memory. */
function fakeEngine() {
  const volumes = new Map<string, Record<string, string>>();
  const engine = { volumes, failsAfter: Infinity, isBusy: false };
  const services = {
    volumes: async () => [...volumes.keys()].map((name) => ({ id: `engine-${name}`, stack: key, name })),
    removeVolume: async (id: string) => !engine.isBusy && volumes.delete(id.slice('engine-'.length)),
    makeVolume: async (...[, , name, content]: Parameters<ServiceRuntime['makeVolume']>) => {
      const files: Record<string, string> = {};
      volumes.set(name, files);
      for await (const entry of content) {
        // Simulates a killed process, which does not clean up.
        if (Object.keys(files).length >= engine.failsAfter) throw new Error('killed');
        if (entry.type === 'file') files[entry.path] = await text(Readable.from(entry.content()));
      }
    },
  };
  return { engine, services };
}

describe('volume of a process that becomes a container', () => {
  let folders: Folders;
  let folder: string;
  let parts: Parts;
  let engine: ReturnType<typeof fakeEngine>['engine'];
  beforeEach(() => {
    folders = new Folders(newFolder('data'));
    folder = folders.volume('prj_1', 'production', 'data');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a'), 'one');
    writeFileSync(join(folder, 'b'), 'two');
    const fake = fakeEngine();
    engine = fake.engine;
    parts = { server: null, folders, containers: { services: fake.services } } as unknown as Parts;
  });
  const made = (id: string) => ({ deployment: deploymentOf(id), stack });
  const start = (id: string) => carryOver(parts, made(id), {} as Owner);
  const files = () => engine.volumes.get('data');

  it('stays in its folder until the release serves, so that the previous release can come back', async () => {
    await start('dep_1');
    expect(files()).toEqual({ a: 'one', b: 'two' });
    const release = folders.release('dep_0');
    mkdirSync(release, { recursive: true });
    const config = { rootDirectory: '' } as DeploymentConfig;
    expect(await layOutVolumes(parts, { deployment: deploymentOf('dep_0'), config, stack }, null)).toEqual([folder]);
    expect(readFileSync(join(release, 'data/a'), 'utf8')).toBe('one');
  });

  it('is copied again by the next deployment, because the process kept writing', async () => {
    await start('dep_1');
    writeFileSync(join(folder, 'c'), 'three');
    await start('dep_2');
    expect(files()).toEqual({ a: 'one', b: 'two', c: 'three' });
  });

  it('is not copied again by replicas and restarts of the same deployment', async () => {
    await start('dep_1');
    files()!['written by the container'] = '';
    await start('dep_1');
    expect(Object.keys(files()!)).toContain('written by the container');
  });

  it('moves to the engine once the release serves, and its folder once the previous release has stopped', async () => {
    await start('dep_1');
    await keepInEngine(parts, made('dep_1'));
    expect(existsSync(folder), 'the previous release may still answer requests').toBe(true);
    files()!['written by the container'] = '';
    await setFoldersAside(parts, made('dep_1'));
    await start('dep_2');
    expect(Object.keys(files()!)).toContain('written by the container');
    const aside = readdirSync(dirname(folder)).filter((name) => name.startsWith('.moved-data-'));
    expect(aside).toHaveLength(1);
    expect(readdirSync(join(dirname(folder), aside[0]!))).toEqual(['a', 'b']);
  });

  it('is copied again after an interrupted copy', async () => {
    engine.failsAfter = 1;
    await expect(start('dep_1')).rejects.toThrow('killed');
    expect(files()).toEqual({ a: 'one' });
    engine.failsAfter = Infinity;
    await start('dep_1');
    expect(files()).toEqual({ a: 'one', b: 'two' });
  });

  it('does not start with an interrupted copy that cannot be removed', async () => {
    engine.failsAfter = 1;
    await expect(start('dep_1')).rejects.toThrow('killed');
    Object.assign(engine, { failsAfter: Infinity, isBusy: true });
    await expect(start('dep_1')).rejects.toMatchObject({ code: 'volume_busy' });
    await expect(start('dep_1')).rejects.toMatchObject({ code: 'volume_busy' });
  });

  it('does not replace an engine volume that is not a draft', async () => {
    engine.volumes.set('data', { kept: 'since an earlier version' });
    await start('dep_1');
    expect(files()).toEqual({ kept: 'since an earlier version' });
  });
});
