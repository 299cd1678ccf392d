import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectNameOf } from '../src/folder/project-name.ts';
import { writeTar } from '../src/folder/tar.ts';
import { walkFolder } from '../src/folder/walk.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mooring-cli-folder-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

const filesOf = async (includeEnv = false) =>
  (await walkFolder(root, includeEnv)).entries.filter(({ type }) => type !== 'folder').map(({ path }) => path);

const tree = [
  'a.log',
  'keep.log',
  'b.txt',
  '#hash',
  '!bang',
  'deep/a.log',
  'deep/keep.log',
  'deep/er/a.log',
  'build/x.js',
  'src/build/x.js',
  'src/build.js',
  'docs/a.md',
  'docs/sub/a.md',
  'docs/sub/b/c.md',
  'foo/bar/baz/q.txt',
  'a/b',
  'a/x/b',
  'a/x/y/b',
  'tmp1/f',
  'tmp2/f',
  'tmpx/f',
  'with space.txt',
  'v[1].txt',
  'v1.txt',
  'abc/ü.txt',
];

test.each([
  ['*.log\n!keep.log', ''],
  ['/build', ''],
  ['build/', ''],
  ['build', '!x.js'],
  ['# a comment\n\n\\#hash\n\\!bang\nb.txt   ', ''],
  ['docs/*.md', ''],
  ['docs/**/*.md', ''],
  ['docs/**', ''],
  ['docs/**\n!docs/sub/', ''],
  ['**/sub', ''],
  ['a/**/b', ''],
  ['foo/**/q.txt\n**/er/', ''],
  ['tmp[0-9]', ''],
  ['tmp[!0-9]/', ''],
  ['v?.txt\nwith\\ space.txt', ''],
  ['v\\[1\\].txt', ''],
  ['*\n!*/\n!*.md', ''],
  ['*.log', '!a.log\n/er'],
  ['/*\n!/docs\n/docs/*\n!/docs/sub', ''],
  ['deep/a.log\n/foo/bar/', 'keep.log'],
  ['ü.txt\n[\nab\\', ''],
])('ignores what git ignores: %j, and in deep: %j', async (own, deep) => {
  put(Object.fromEntries(tree.map((path) => [path, ''])));
  put({ '.gitignore': `${own}\n`, 'deep/.gitignore': `${deep}\n` });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '-q');
  const known = git('-c', 'core.excludesFile=', 'ls-files', '-z', '-co', '--exclude-standard')
    .split('\0')
    .filter(Boolean);
  expect((await filesOf()).toSorted()).toEqual(known.toSorted());
});

test('.mooringignore comes after .gitignore; .git, node_modules, .venv and .env files are excluded', async () => {
  put({
    '.gitignore': 'dist/\n.env\n',
    '.mooringignore': '!dist/\nnotes.md\n',
    'dist/app.js': '',
    'notes.md': '',
    'node_modules/x/index.js': '',
    'sub/node_modules/x/index.js': '',
    '.venv/bin/pip': '',
    '.git/HEAD': '',
    '.env': 'A=1',
    '.env.example': 'A=',
    'sub/.env.production': 'A=2',
    '.envrc': '',
  });
  const { envFiles } = await walkFolder(root, false);
  expect(envFiles).toEqual(['.env', 'sub/.env.production']);
  expect(await filesOf()).toEqual(['.env.example', '.envrc', '.gitignore', '.mooringignore', 'dist/app.js']);
  expect(await filesOf(true)).toEqual(expect.arrayContaining(['.env', 'sub/.env.production']));
});

test('a project is named after its folder, whatever the name', () => {
  for (const folder of [root, `${root}/`, `${root}/.`, `${root}/x/..`])
    expect(projectNameOf(folder, undefined)).toEqual({ name: basename(root), source: 'the folder' });
});

test('tar unpacks exactly what was packed', async () => {
  const long = `${'long-name-'.repeat(9)}/${'ö'.repeat(60)}/file.txt`;
  const large = createHash('sha512').update('x').digest('hex').repeat(2000);
  put({ 'run.sh': '#!/bin/sh\n', 'empty.txt': '', 'exact.bin': 'x'.repeat(512), [long]: 'far away', large });
  chmodSync(join(root, 'run.sh'), 0o750);
  symlinkSync('run.sh', join(root, 'link'));
  symlinkSync(`./${long}`, join(root, 'long-link'));
  symlinkSync('/etc/passwd', join(root, 'absolute'));
  symlinkSync('../..', join(root, 'out'));
  const content = await walkFolder(root, false);
  expect(content.outsideLinks).toEqual(['absolute', 'out']);
  const archive = await buffer(Readable.from(writeTar(root, content.entries)));
  const copy = join(root, 'copy');
  mkdirSync(copy);
  execFileSync('tar', ['-xf', '-', '-C', copy], { input: archive });
  for (const path of ['run.sh', 'empty.txt', 'exact.bin', long, 'large'])
    expect(readFileSync(join(copy, path))).toEqual(readFileSync(join(root, path)));
  expect(statSync(join(copy, 'run.sh')).mode & 0o111).not.toBe(0);
  expect([readlinkSync(join(copy, 'link')), readlinkSync(join(copy, 'long-link'))]).toEqual(['run.sh', `./${long}`]);
});

test('a file that shrinks during the upload is an error, not a damaged archive', async () => {
  put({ 'a.txt': 'long enough' });
  const { entries } = await walkFolder(root, false);
  put({ 'a.txt': '' });
  await expect(buffer(Readable.from(writeTar(root, entries)))).rejects.toThrow('a.txt changed while it was uploaded');
});
