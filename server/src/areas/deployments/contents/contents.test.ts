import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { KeptContents } from './contents.ts';

type Files = Record<string, string>;

/** Files by path: their text, or a link (`-> target`). */
function sourceOf(files: Files): string {
  const folder = newFolder('source');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(folder, path));
    else writeFileSync(join(folder, path), text);
  }
  return folder;
}

const newContents = () => {
  const data = newFolder('data');
  return { contents: new KeptContents(data), data };
};
const modeOf = (path: string) => lstatSync(path).mode & 0o7777;
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');

async function kept(files: Files, path = '') {
  const source = sourceOf(files);
  const { contents, data } = newContents();
  const digest = (await contents.digestOf(source, path))!;
  await contents.keep('prj_1', source, path, digest);
  return { contents, data, source, digest, at: contents.path('prj_1', digest) };
}

describe('content digest', () => {
  const digest = (files: Files, path = 'x') => newContents().contents.digestOf(sourceOf(files), path);

  it('is the same for the same content only', async () => {
    const one = await digest({ 'x/a': '1', 'x/b/c': '2' });
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest({ 'x/b/c': '2', 'x/a': '1', y: 'beside it' })).toBe(one);
    const others: Files[] = [
      { 'x/a': '1', 'x/b/c': '3' },
      { 'x/a': '1', 'x/b': '2' },
      { 'x/a': '1', 'x/b/d': '2' },
      { 'x/a': '-> 1', 'x/b/c': '2' },
      { 'x/a': '1', 'x/b/c': '2', 'x/d/e': '' },
      { 'x/a': '1' },
      { x: '1' },
      { x: '-> a', a: '1' },
    ];
    const all = await Promise.all([...others.map((files) => digest(files)), digest({ 'x/a': '1', 'x/b/c': '2' })]);
    // A link inside the source counts as its target.
    expect(all[6]).toBe(all[7]);
    expect(new Set(all).size).toBe(others.length);
  });

  it('depends on the executable bit', async () => {
    const source = sourceOf({ 'x/run': '#!', y: '#!' });
    const { contents } = newContents();
    const seen = [await contents.digestOf(source, 'x'), await contents.digestOf(source, 'y')];
    chmodSync(join(source, 'x/run'), 0o700);
    chmodSync(join(source, 'y'), 0o711);
    expect(await contents.digestOf(source, 'x')).not.toBe(seen[0]);
    expect(await contents.digestOf(source, 'y')).not.toBe(seen[1]);
    chmodSync(join(source, 'y'), 0o600);
    expect(await contents.digestOf(source, 'y')).toBe(seen[1]);
  });

  it('is null for paths outside the source, links included', async () => {
    const files = {
      out: '-> /etc/passwd',
      up: '-> ../../../../../../../../etc',
      loop: '-> loop',
      none: '-> nothing',
      'a/b': 'x',
      'way -> a': 'x',
      way: '-> /etc',
    };
    for (const path of [
      'out',
      'up',
      'up/passwd',
      'loop',
      'none',
      'missing',
      'a/b/c',
      '../x',
      '/etc',
      'way/passwd',
      'a\0',
    ])
      expect(await digest(files, path), path).toBeNull();
    expect(await digest({ 'in/a': '1', link: '-> in' }, 'link/a')).toBe(await digest({ x: '1' }));
  });

  it('ignores pipes and does not block on them', async () => {
    const source = sourceOf({ 'x/a': '1' });
    const { contents } = newContents();
    const before = await contents.digestOf(source, 'x');
    execFileSync('mkfifo', [join(source, 'x/pipe'), join(source, 'pipe')]);
    expect(await contents.digestOf(source, 'x')).toBe(before);
    expect(await contents.digestOf(source, 'pipe')).toBeNull();
  });
});

describe('stored content', () => {
  it('is a faithful copy that every user can read', async () => {
    const source = sourceOf({ 'conf/a': '1', 'conf/in/run': '#!', 'conf/link': '-> /etc/passwd' });
    chmodSync(join(source, 'conf/a'), 0o600);
    chmodSync(join(source, 'conf/in/run'), 0o700);
    chmodSync(join(source, 'conf/in'), 0o700);
    const { contents, data } = newContents();
    const digest = (await contents.digestOf(source, 'conf'))!;
    expect(await contents.has('prj_1', digest)).toBe(false);
    const before = process.umask(0o077);
    await contents.keep('prj_1', source, 'conf', digest).finally(() => process.umask(before));
    const at = contents.path('prj_1', digest);
    expect(at).toBe(join(data, 'contents/prj_1', digest, 'content'));
    expect([await contents.has('prj_1', digest), await contents.kindOf('prj_1', digest)]).toEqual([true, 'folder']);
    expect([at, join(at, 'a'), join(at, 'in'), join(at, 'in/run')].map(modeOf)).toEqual([0o755, 0o644, 0o755, 0o755]);
    expect(readlinkSync(join(at, 'link'))).toBe('/etc/passwd');
    const above = [dirname(at), join(data, 'contents/prj_1'), join(data, 'contents')];
    expect(above.map(modeOf)).toEqual([0o711, 0o711, 0o711]);
    rmSync(source, { recursive: true });
    expect(textOf(at, 'a')).toBe('1');
    // It is stored already, so the source is not read.
    await contents.keep('prj_1', source, 'conf', digest);
  });

  it('is complete or absent if the source changes meanwhile', async () => {
    const source = sourceOf({ 'conf/a': '1' });
    const { contents, data } = newContents();
    const digest = (await contents.digestOf(source, 'conf'))!;
    writeFileSync(join(source, 'conf/a'), '2');
    await expect(contents.keep('prj_1', source, 'conf', digest)).rejects.toThrow(
      'conf changed while it was being read',
    );
    renameSync(join(source, 'conf'), join(source, 'other'));
    symlinkSync('/etc', join(source, 'conf'));
    await expect(contents.keep('prj_1', source, 'conf', digest)).rejects.toThrow('changed');
    expect(readdirSync(join(data, 'contents/prj_1'))).toEqual([]);
  });

  it('can be stored by concurrent calls', async () => {
    const source = sourceOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x/${i}`, String(i)])));
    const { contents, data } = newContents();
    const digest = (await contents.digestOf(source, 'x'))!;
    await Promise.all(Array.from({ length: 8 }, () => contents.keep('prj_1', source, 'x', digest)));
    expect(readdirSync(join(data, 'contents/prj_1'))).toEqual([digest]);
    expect(readdirSync(contents.path('prj_1', digest))).toHaveLength(50);
  });

  it('is removed when it is no longer used', async () => {
    const { contents, data, source, digest } = await kept({ a: '1', b: '2' }, 'a');
    const other = (await contents.digestOf(source, 'b'))!;
    await contents.keep('prj_1', source, 'b', other);
    mkdirSync(join(data, 'contents/prj_1/new-killed'));
    await contents.removeUnused('prj_1', []);
    expect(readdirSync(join(data, 'contents/prj_1'))).toHaveLength(3);
    await contents.removeUnused('prj_1', [other], 0);
    expect(readdirSync(join(data, 'contents/prj_1'))).toEqual([other]);
    expect([await contents.has('prj_1', digest), await contents.has('prj_1', other)]).toEqual([false, true]);
    await contents.removeUnused('prj_none', []);
    for (const strange of ['../x', 'a/b', '', '..']) expect(() => contents.path(strange, other)).toThrow('not an id');
    expect(() => contents.path('prj_1', '../../x')).toThrow('not a digest');
  });

  it('stores a thousand files quickly', async () => {
    const files = Array.from({ length: 1000 }, (_, i) => [`x/${i % 20}/${i}`, 'content '.repeat(i % 500)]);
    const source = sourceOf(Object.fromEntries(files) as Files);
    const { contents } = newContents();
    const began = Date.now();
    const digest = (await contents.digestOf(source, 'x'))!;
    const digested = Date.now();
    await contents.keep('prj_1', source, 'x', digest);
    const copied = Date.now();
    await contents.materialize({ projectId: 'prj_1', environment: 'production', path: 'x', digest });
    const [a, b, c] = [digested - began, copied - digested, Date.now() - copied];
    expect(a + b + c, `${a} + ${b} + ${c} ms`).toBeLessThan(10_000);
  });
});

describe('configs and secrets', () => {
  const nobody = { uid: null, gid: null, mode: null };

  it('become files with the declared owner and permissions', async () => {
    const { contents, data } = newContents();
    const source = sourceOf({ 'secret.txt': 'from a file', 'folder/x': '' });
    const plain = await contents.keepFile('prj_1', { content: 'word' }, nobody);
    const closed = await contents.keepFile('prj_1', { content: 'word' }, { uid: '999', gid: '998', mode: 0o400 });
    const file = await contents.keepFile('prj_1', { releaseFolder: source, path: 'secret.txt' }, nobody);
    expect([plain, closed, file].map(({ path }) => [textOf(path), modeOf(path)])).toEqual([
      ['word', 0o444],
      ['word', 0o400],
      ['from a file', 0o444],
    ]);
    expect(lstatSync(closed.path)).toMatchObject({ uid: 999, gid: 998 });
    expect(plain.path).not.toBe(closed.path);
    expect(await contents.keepFile('prj_1', { content: Buffer.from('word') }, nobody)).toEqual(plain);
    expect(await contents.kindOf('prj_1', plain.digest)).toBe('file');
    expect([dirname(plain.path), join(data, 'contents/prj_1')].map(modeOf)).toEqual([0o711, 0o711]);
  });

  it('accept only paths inside the source', async () => {
    const { contents } = newContents();
    const releaseFolder = sourceOf({ out: '-> /etc/passwd', 'folder/x': '' });
    for (const path of ['out', '../x', 'folder', 'none'])
      await expect(contents.keepFile('prj_1', { releaseFolder, path }, nobody), path).rejects.toThrow(/source|folder/);
    for (const uid of ['root', '-1', '1e3', ''])
      await expect(contents.keepFile('prj_1', { content: '' }, { ...nobody, uid })).rejects.toThrow('must be a number');
    expect(existsSync(contents.path('prj_1', '0'.repeat(64)))).toBe(false);
  });
});
