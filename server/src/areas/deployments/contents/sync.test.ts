import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../../test/rig/children.ts';
import { until } from '../../../../test/rig/until.ts';
import { KeptContents } from './contents.ts';

function newBind() {
  const data = newFolder('data');
  const contents = new KeptContents(data);
  const where = { projectId: 'prj_1', environment: 'production', path: 'data' };
  /** Deploys a source with these files in the folder. */
  const deploy = async (files: Record<string, string> | null) => {
    if (!files) return contents.materialize({ ...where, digest: null });
    const source = newFolder('source');
    mkdirSync(join(source, 'data'));
    for (const [path, text] of Object.entries(files)) {
      const place = join(source, 'data', path);
      mkdirSync(dirname(place), { recursive: true });
      if (text.startsWith('-> ')) symlinkSync(text.slice(3), place);
      else writeFileSync(place, text);
      if (path.endsWith('.sh')) chmodSync(place, 0o755);
    }
    const digest = (await contents.digestOf(source, 'data'))!;
    await contents.keep('prj_1', source, 'data', digest);
    return contents.materialize({ ...where, digest });
  };
  return { data, contents, where, deploy };
}

/** A folder whose content must not change. */
function newVictim(): string {
  const victim = newFolder('victim');
  chmodSync(victim, 0o755);
  for (const name of ['a', 'b']) writeFileSync(join(victim, name), 'of the victim');
  return victim;
}
const isUnharmed = (victim: string) => {
  expect(readdirSync(victim)).toEqual(['a', 'b']);
  expect(readFileSync(join(victim, 'a'), 'utf8')).toBe('of the victim');
  expect(lstatSync(victim).mode & 0o777).toBe(0o755);
};
const modeOf = (path: string) => lstatSync(path).mode & 0o777;
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');

describe('writable bind folder', () => {
  it('is empty and writable for every user where the source has none', async () => {
    const { deploy, data } = newBind();
    const folder = await deploy(null);
    expect(folder).toBe(join(data, 'binds/prj_1/production/data'));
    expect([modeOf(folder), modeOf(dirname(folder)), readdirSync(folder)]).toEqual([0o777, 0o711, []]);
  });

  it('gets the files of the source, and keeps everything else', async () => {
    const { deploy } = newBind();
    const folder = await deploy({ 'conf/a': '1', 'conf/b': '1', 'go.sh': '#!', link: '-> conf/a' });
    expect([modeOf(join(folder, 'conf')), modeOf(join(folder, 'conf/a')), modeOf(join(folder, 'go.sh'))]).toEqual([
      0o777, 0o644, 0o755,
    ]);
    writeFileSync(join(folder, 'conf/own'), 'of the container');
    writeFileSync(join(folder, 'conf/a'), 'changed by the container');
    chmodSync(folder, 0o700);
    chmodSync(join(folder, 'conf'), 0o750);
    expect(await deploy({ 'conf/a': '2', 'new/c': '3' })).toBe(folder);
    expect([textOf(folder, 'conf/a'), textOf(folder, 'conf/b'), textOf(folder, 'new/c')]).toEqual(['2', '1', '3']);
    expect([textOf(folder, 'conf/own'), readlinkSync(join(folder, 'link'))]).toEqual(['of the container', 'conf/a']);
    // The container has chosen these modes.
    expect([modeOf(folder), modeOf(join(folder, 'conf'))]).toEqual([0o700, 0o750]);
    await deploy(null);
    expect(readdirSync(folder).toSorted()).toEqual(['conf', 'go.sh', 'link', 'new']);
  });

  it('never follows a link out of the folder', async () => {
    const { deploy } = newBind();
    const victim = newVictim();
    const folder = await deploy({ 'conf/deep/a': '1', a: '1' });
    for (const [link, to] of Object.entries({ a: join(victim, 'a'), b: join(victim, 'b'), new: victim }))
      symlinkSync(to, join(folder, `${link}.x`));
    renameSync(join(folder, 'a'), join(folder, 'a.was'));
    renameSync(join(folder, 'a.x'), join(folder, 'a'));
    renameSync(join(folder, 'b.x'), join(folder, 'b'));
    renameSync(join(folder, 'new.x'), join(folder, 'new'));
    renameSync(join(folder, 'conf/deep'), join(folder, 'deep.was'));
    symlinkSync(victim, join(folder, 'conf/deep'));
    await deploy({ 'conf/deep/a': '2', a: '2', b: '2', 'new/a': '2' });
    for (const path of ['conf/deep/a', 'a', 'b', 'new/a']) expect(textOf(folder, path)).toBe('2');
    expect(lstatSync(join(folder, 'a')).isFile()).toBe(true);
    expect(lstatSync(join(folder, 'conf/deep')).isDirectory()).toBe(true);
    isUnharmed(victim);
  });

  it('moves aside a folder in place of a file, and the reverse', async () => {
    const { deploy } = newBind();
    const folder = await deploy(null);
    mkdirSync(join(folder, 'file'));
    writeFileSync(join(folder, 'file/own'), 'of the container');
    writeFileSync(join(folder, 'folder'), 'of the container');
    await deploy({ file: '1', 'folder/a': '1' });
    expect([textOf(folder, 'file'), textOf(folder, 'folder/a')]).toEqual(['1', '1']);
    const aside = readdirSync(folder).filter((name) => name.includes('.replaced-'));
    expect(aside.map((name) => name.replace(/-.*/, ''))).toEqual(['file.replaced', 'folder.replaced']);
    expect(textOf(folder, aside[0]!, 'own')).toBe('of the container');
    expect(textOf(folder, aside[1]!)).toBe('of the container');
  });

  it('stays intact while a container swaps its folders for links', async () => {
    const { deploy } = newBind();
    const victim = newVictim();
    const folder = await deploy({ 'f/a': '1', 'f/g/b': '1' });
    const script = `
const fs = require('node:fs');
const [folder, victim] = process.argv.slice(1);
process.chdir(folder);
const attempt = (act) => { try { act(); } catch {} };
fs.writeFileSync('ready', '');
for (;;) {
  attempt(() => fs.renameSync('f', 't' + process.hrtime.bigint()));
  attempt(() => fs.symlinkSync(victim, 'f'));
  attempt(() => fs.rmSync('f'));
  attempt(() => fs.mkdirSync('f/g', { recursive: true }));
  attempt(() => fs.symlinkSync(victim + '/a', 'f/a'));
}`;
    const child = spawnRecorded(process.execPath, ['-e', script, folder, victim], { stdio: 'ignore' });
    await until('it swaps', () => existsSync(join(folder, 'ready')));
    let done = 0;
    for (const end = Date.now() + 1_500; Date.now() < end;)
      await deploy({ 'f/a': '2', 'f/g/b': '2' }).then(
        () => done++,
        // The container may win every race; only writes to the victim matter.
        (error: Error) => expect(String(error)).toMatch(/another program keeps|ENOENT|ENOTDIR/),
      );
    child.kill('SIGKILL');
    await exited(child);
    expect(done).toBeGreaterThan(0);
    isUnharmed(victim);
  });

  it('is separate for each path and environment, and is removed with the project on request', async () => {
    const { contents, where, data } = newBind();
    const of = (environment: string, path: string) =>
      contents.materialize({ ...where, environment, path, digest: null });
    const places = [
      await of('production', ''),
      await of('production', 'a/b'),
      await of('production', 'a%2Fb'),
      await of('production', '..'),
      await of('..', 'a'),
      await of('production', 'long/'.repeat(100)),
      await of('production', '@root'),
      await of('preview/x', 'a/b'),
    ];
    expect(new Set(places).size).toBe(places.length);
    for (const place of places) {
      expect(dirname(dirname(place))).toBe(join(data, 'binds/prj_1'));
      expect(existsSync(place)).toBe(true);
    }
    await contents.removeProject('prj_1', { binds: false });
    expect(places.every((place) => existsSync(place))).toBe(true);
    await contents.removeProject('prj_1', { binds: true });
    expect(readdirSync(join(data, 'binds'))).toEqual([]);
  });
});
