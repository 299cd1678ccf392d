import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderTree } from './folder-tree.ts';

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mooring-tree-'));
  folder = join(base, 'app');
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(base, 'app-private'));
  writeFileSync(join(base, 'app-private', 'key'), 'secret');
  writeFileSync(join(folder, 'src', 'a.js'), 'a');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('lists and reads', async () => {
  const tree = folderTree(folder);
  expect(await tree.list('')).toEqual(['src/']);
  expect(await tree.list('src')).toEqual(['a.js']);
  expect(await tree.read('src/a.js')).toBe('a');
});

it('returns empty or undefined for absent files', async () => {
  const tree = folderTree(folder);
  expect(await tree.list('nothing')).toEqual([]);
  expect(await tree.list('src/a.js')).toEqual([]);
  expect(await tree.read('nothing')).toBeUndefined();
  expect(await tree.read('src')).toBeUndefined();
  expect(await tree.read('x'.repeat(300))).toBeUndefined();
  expect(await folderTree(join(base, 'gone')).list('')).toEqual([]);
});

it('follows links inside the folder only', async () => {
  symlinkSync('src', join(folder, 'inside'));
  symlinkSync('../app-private', join(folder, 'outside'));
  symlinkSync(join(base, 'app-private', 'key'), join(folder, 'package.json'));
  symlinkSync('loop', join(folder, 'loop'));
  const tree = folderTree(folder);
  expect(await tree.list('')).toEqual(['inside/', 'src/']);
  expect(await tree.read('inside/a.js')).toBe('a');
  expect(await tree.read('package.json')).toBeUndefined();
  expect(await tree.read('outside/key')).toBeUndefined();
  expect(await tree.list('outside')).toEqual([]);
});

it.each(['../app-private/key', '/etc/passwd', 'src/../../app-private/key'])('does not find %s', async (path) => {
  expect(await folderTree(folder).read(path)).toBeUndefined();
});

it('ignores a pipe without blocking', async () => {
  execFileSync('mkfifo', [join(folder, 'package.json')]);
  expect(await folderTree(folder).read('package.json')).toBeUndefined();
  expect(await folderTree(folder).list('')).toEqual(['src/']);
});

it('limits the size of files and lists', async () => {
  writeFileSync(join(folder, 'big'), 'x'.repeat(3 * 1024 * 1024));
  for (let i = 0; i < 4100; i++) writeFileSync(join(folder, 'src', `${i}`), '');
  expect(await folderTree(folder).read('big')).toHaveLength(1024 * 1024);
  expect(await folderTree(folder).list('src')).toHaveLength(4000);
});
