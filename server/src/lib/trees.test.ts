import { execFileSync } from 'node:child_process';
import {
  chmodSync,
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
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../test/rig/children.ts';
import { until } from '../../test/rig/until.ts';
import { copyTree } from './copy-tree.ts';
import { HeldFolder } from './held-folder.ts';
import { removeTree } from './remove-tree.ts';

const everything = () => false;
const byName = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1);

/** A folder whose contents must neither be read nor changed. */
function newVictim(): string {
  const victim = newFolder('victim');
  for (let i = 0; i < 10; i++) writeFileSync(join(victim, `v${i}`), 'of the victim');
  return victim;
}

/** Swaps a folder and a symlink to the victim as fast as it can, and recreates them when they are gone. */
async function swapper(folder: string, victim: string): Promise<() => Promise<void>> {
  const script = `
const fs = require('node:fs');
const [folder, victim] = process.argv.slice(1);
process.chdir(folder);
const attempt = (act) => { try { act(); return true; } catch { return false; } };
const make = () => {
  for (const name of ['a', 'l', 't']) attempt(() => fs.rmSync(name, { recursive: true, force: true }));
  attempt(() => { fs.mkdirSync('a/b', { recursive: true }); for (let i = 0; i < 10; i++) fs.writeFileSync('a/v' + i, 'mine'); });
  attempt(() => fs.symlinkSync(victim, 'l'));
};
make();
fs.writeFileSync(folder + '/../ready', '');
for (;;)
  if (!attempt(() => { fs.renameSync('a', 't'); fs.renameSync('l', 'a'); fs.renameSync('a', 'l'); fs.renameSync('t', 'a'); })) make();`;
  const child = spawnRecorded(process.execPath, ['-e', script, folder, victim], { stdio: 'ignore' });
  await until('it swaps', () => existsSync(join(folder, '../ready')));
  return async () => {
    child.kill('SIGKILL');
    await exited(child);
  };
}

describe('removeTree', () => {
  it('removes everything without following symlinks', async () => {
    const [base, victim] = [newFolder('base'), newVictim()];
    const tree = join(base, 'tree');
    mkdirSync(join(tree, 'a/b/c'), { recursive: true });
    for (const path of ['x', 'a/x', 'a/b/c/ü\n x', '-rf']) writeFileSync(join(tree, path), 'x');
    symlinkSync(victim, join(tree, 'link'));
    symlinkSync(victim, join(tree, 'a/b/link'));
    symlinkSync('/nothing', join(tree, 'a/dangling'));
    execFileSync('mkfifo', [join(tree, 'pipe')]);
    chmodSync(join(tree, 'a/b'), 0o500);
    await removeTree(tree);
    expect(readdirSync(base)).toEqual([]);
    expect(readdirSync(victim)).toHaveLength(10);
  });

  it('removes a tree of any depth', async () => {
    const base = newFolder('base');
    const script = `for (let i = 0; i < 1500; i++) { require('fs').mkdirSync('deep'); process.chdir('deep'); } require('fs').writeFileSync('x', '')`;
    execFileSync(process.execPath, ['-e', script], { cwd: base });
    await removeTree(join(base, 'deep'));
    expect(readdirSync(base)).toEqual([]);
  });

  it('removes a file or a symlink, and ignores a missing path', async () => {
    const [base, victim] = [newFolder('base'), newVictim()];
    writeFileSync(join(base, 'file'), 'x');
    symlinkSync(victim, join(base, 'link'));
    for (const name of ['file', 'link', 'nothing', 'nothing/at/all']) await removeTree(join(base, name));
    expect(readdirSync(base)).toEqual([]);
    expect(readdirSync(victim)).toHaveLength(10);
  });

  it('is safe while the owner swaps folders for symlinks', async () => {
    const [base, victim] = [newFolder('base'), newVictim()];
    mkdirSync(join(base, 'tree'));
    const stop = await swapper(join(base, 'tree'), victim);
    for (const end = Date.now() + 1500; Date.now() < end;) await removeTree(join(base, 'tree/a'));
    await stop();
    expect(readdirSync(victim)).toHaveLength(10);
  });
});

describe('copyTree', () => {
  it('copies symlinks as symlinks, and skips special files', async () => {
    const [from, to] = [newFolder('from'), newFolder('to')];
    mkdirSync(join(from, 'a/b'), { recursive: true });
    mkdirSync(join(from, 'node_modules/x'), { recursive: true });
    writeFileSync(join(from, 'a/b/run'), '#!', { mode: 0o755 });
    writeFileSync(join(from, 'large'), Buffer.alloc(300_000, 'x'));
    symlinkSync('/etc/passwd', join(from, 'a/out'));
    execFileSync('mkfifo', [join(from, 'pipe')]);
    await copyTree(from, to, (name) => name === 'node_modules');
    expect(readdirSync(to, { recursive: true }).toSorted(byName)).toEqual(['a', 'a/b', 'a/b/run', 'a/out', 'large']);
    expect(readlinkSync(join(to, 'a/out'))).toBe('/etc/passwd');
    expect(lstatSync(join(to, 'a/b/run')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(to, 'large'))).toHaveLength(300_000);
  });

  it('rejects a source whose path leads through a symlink', async () => {
    const [base, victim] = [newFolder('base'), newVictim()];
    mkdirSync(join(base, 'way'));
    symlinkSync(victim, join(base, 'way/link'));
    await expect(copyTree(join(base, 'way/link'), newFolder('to'), everything)).rejects.toThrow();
    symlinkSync(join(base, 'way'), join(base, 'other'));
    mkdirSync(join(base, 'way/app'));
    await expect(copyTree(join(base, 'other/app'), newFolder('to'), everything)).rejects.toThrow(/was moved/);
  });

  it('is safe while the owner swaps folders for symlinks', async () => {
    const [base, victim] = [newFolder('base'), newVictim()];
    mkdirSync(join(base, 'tree'));
    const stop = await swapper(join(base, 'tree'), victim);
    let copied = '';
    for (const end = Date.now() + 1500; Date.now() < end;) {
      const to = newFolder('to');
      await copyTree(join(base, 'tree'), to, everything);
      for (const folder of readdirSync(to, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
        for (const file of readdirSync(join(to, folder.name), { withFileTypes: true }))
          if (file.isFile()) copied += `${readFileSync(join(to, folder.name, file.name), 'utf8')} `;
      await removeTree(to);
    }
    await stop();
    expect(copied.includes('mine')).toBe(true);
    expect(copied.includes('victim')).toBe(false);
  });
});

it('rejects anything but plain names in a held folder', async () => {
  const folder = await HeldFolder.open(newFolder('held'));
  for (const name of ['', '.', '..', 'a/b', '../x']) expect(() => folder.at(name)).toThrow('is not a name');
  await folder.close();
});
