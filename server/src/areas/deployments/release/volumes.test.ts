import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { Folders } from '../model/parts.ts';
import type { Stack } from '../model/stack.ts';
import type { DeploymentRow } from '../model/store.ts';
import { layOutVolumes, linkedVolumes } from './volumes.ts';

/** The owner of the release is not trusted, because the service may run as root. */
describe('volumes of an app that runs as a process', () => {
  let folders: Folders;
  let release: string;
  let outside: string;
  beforeEach(() => {
    folders = new Folders(newFolder('data'));
    release = folders.release('dep_1');
    mkdirSync(release, { recursive: true });
    outside = newFolder('outside');
    writeFileSync(join(outside, 'secret'), 'kept');
  });

  const deployment = { projectId: 'prj_1', environment: 'production', artifactId: 'dep_1' } as DeploymentRow;
  const config = { rootDirectory: '' } as DeploymentConfig;
  const made = (...targets: string[]) => {
    const mounts = targets.map((target) => ({ type: 'volume', isOfProject: true, volume: 'data', target }));
    const stack = { project: { services: [{ name: 'app', mounts }] } } as unknown as Stack;
    return { deployment, config, stack };
  };
  const layOut = (...targets: string[]) => layOutVolumes({ folders }, made(...targets), null);
  const volume = () => folders.volume('prj_1', 'production', 'data');
  const isUntouched = () =>
    expect([readdirSync(outside), readFileSync(join(outside, 'secret'), 'utf8')]).toEqual([['secret'], 'kept']);

  it("start with the release's content and replace it with a link", async () => {
    mkdirSync(join(release, 'data'));
    writeFileSync(join(release, 'data/seed'), 'from the source');
    expect(await layOut('data')).toEqual([volume()]);
    await layOut('data');
    expect(readlinkSync(join(release, 'data'))).toBe(volume());
    expect(readFileSync(join(release, 'data/seed'), 'utf8')).toBe('from the source');
    await layOut();
    expect(lstatSync(join(release, 'data')).isDirectory(), 'what was there comes back').toBe(true);
    expect(readFileSync(join(volume(), 'seed'), 'utf8')).toBe('from the source');
  });

  it('are rejected below a link in the release', async () => {
    symlinkSync(outside, join(release, 'above'));
    await expect(layOut('above/data')).rejects.toMatchObject({ code: 'volume_path' });
    isUntouched();
  });

  it('replace a link without touching its target', async () => {
    symlinkSync(outside, join(release, 'data'));
    await layOut('data');
    expect([readlinkSync(join(release, 'data')), readdirSync(volume())]).toEqual([volume(), []]);
    isUntouched();
  });

  it('do not copy the target of a link in the release', async () => {
    mkdirSync(join(release, 'data'));
    symlinkSync(join(outside, 'secret'), join(release, 'data/link'));
    await layOut('data');
    const copied = join(volume(), 'link');
    expect(existsSync(copied) && !lstatSync(copied).isSymbolicLink()).toBe(false);
    isUntouched();
  });

  it.each([
    ['outside the release', ['../../outside', '/etc', 'a/../../b', '']],
    ['not a list', { data: true }],
    ['no JSON', 'nothing'],
  ])('ignore a note in the release that is %s', async (_, note) => {
    const text = typeof note === 'string' ? note : JSON.stringify(note);
    writeFileSync(join(release, '.mooring-volumes.json'), text);
    await layOut('data');
    expect(readlinkSync(join(release, 'data'))).toBe(volume());
    isUntouched();
  });

  it('ignore a note of more than 100 kB', async () => {
    await layOut('data');
    const note = join(release, '.mooring-volumes.json');
    writeFileSync(note, readFileSync(note, 'utf8') + ' '.repeat(100_000));
    await layOut();
    expect(existsSync(join(release, 'data')), 'the note was not read').toBe(true);
    expect(readlinkSync(join(release, 'data'))).toBe(volume());
  });

  it('keep a link that replaced one of theirs', async () => {
    await layOut('data', 'more/data');
    symlinkSync(outside, join(release, 'mine'));
    writeFileSync(join(release, '.mooring-volumes.json'), JSON.stringify(['mine', 'data']));
    await layOut();
    expect(readlinkSync(join(release, 'mine'))).toBe(outside);
    expect(existsSync(join(release, 'data'))).toBe(false);
    isUntouched();
  });

  it('are neither created nor moved in a folder that a running release uses', async () => {
    await layOut('data');
    mkdirSync(join(release, 'uploads'));
    const before = readdirSync(release);
    const found = await linkedVolumes({ folders }, made('data', 'uploads', 'new/folder', 'uploads/deeper'));
    expect(found).toEqual({ linked: [volume()], missing: ['data', 'data', 'data'] });
    expect([readdirSync(release), readdirSync(join(release, 'uploads'))]).toEqual([before, []]);
  });
});
