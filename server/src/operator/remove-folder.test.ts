import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../test/rig/children.ts';
import { has } from '../../test/rig/parts.ts';
import { removeFolder } from './remove-folder.ts';

const fill = (folder: string) => {
  mkdirSync(join(folder, 'inside'), { recursive: true });
  writeFileSync(join(folder, 'inside/file'), 'x');
};

it('removes a folder, and nothing if there is none', async () => {
  const folder = join(newFolder('removed'), 'data');
  fill(folder);
  expect(await removeFolder(folder)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
  expect(await removeFolder(folder)).toEqual([]);
});

const mount = (at: string) => {
  mkdirSync(at, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', at]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', at]));
  fill(at);
};

describe.runIf(process.getuid?.() === 0 && has('docker'))('a folder with mounted disks', () => {
  it('is emptied, and the mount points are returned', async () => {
    const folder = join(newFolder('removed'), 'data');
    const inner = join(folder, 'volumes/disk');
    mount(inner);
    fill(join(folder, 'releases'));
    expect(await removeFolder(folder)).toEqual([inner]);
    expect([readdirSync(folder), readdirSync(inner)]).toEqual([['volumes'], []]);
    mount(folder);
    expect(await removeFolder(folder)).toEqual([folder]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that are read-only is removed except for them', async () => {
    const folder = join(newFolder('removed'), 'data');
    const inner = join(folder, 'disk');
    mount(inner);
    fill(join(folder, 'other'));
    execFileSync('mount', ['-o', 'remount,ro', inner]);
    await expect(removeFolder(folder)).rejects.toThrow(`cannot remove '${inner}/inside/file': Read-only file system`);
    expect(readdirSync(folder)).toEqual(['disk']);
  });
});

it('waits for a program that is about to end', async () => {
  const folder = join(newFolder('removed'), 'data');
  fill(folder);
  const script = 'while :; do mkdir -p "$0/more"; : >"$0/more/$RANDOM"; done';
  const writer = spawnRecorded('timeout', ['0.3', 'bash', '-c', script, folder], { stdio: 'ignore' });
  await removeFolder(folder);
  await exited(writer);
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});
