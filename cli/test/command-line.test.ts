import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commands } from '../src/commands.ts';
import { helpOf } from '../src/help.ts';
import { launcher, nodeOnPath, Person } from './mooring.ts';

const somebody = new Person();
afterAll(() => somebody.leave());

test.each([
  ['whoam', 'did you mean whoami?'],
  ['tokne', 'did you mean token?'],
  ['token lst', 'did you mean token list?'],
  ['token', 'token needs one more word: token list, token create, token revoke'],
  ['restore guestbook', 'see: mooring restore --help'],
  ['frobnicate', 'see: mooring help'],
  ['help frobnicate', 'see: mooring help'],
  ['frobnicate --help', 'see: mooring help'],
])('mooring %s: %s', async (words, sentence) => {
  const { code, stdout, stderr } = await somebody.run(words.split(' '));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mooring: [^\n]+\n$/);
  expect(stderr).toContain(sentence);
});

test('help lists every command, and each has its own help', async () => {
  const { code, stdout } = await somebody.run(['help']);
  expect(code).toBe(0);
  expect([(await somebody.run([])).stdout, (await somebody.run(['--help'])).stdout]).toEqual([stdout, stdout]);
  const names = [...stdout.matchAll(/^ {2}([a-z][a-z -]*?)(?: [<[].*?)? {2,}/gm)].map(([, name]) => name!);
  expect(names).toEqual(
    expect.arrayContaining(['login', 'whoami', 'token create', 'api', 'key rotate', 'reset-password']),
  );
  const shown = commands.filter(({ hidden }) => !hidden);
  expect(names.toSorted()).toEqual(shown.map(({ name }) => name).toSorted());
  for (const name of ['login', 'token create', 'backup policy add']) {
    const help = await somebody.run([...name.split(' '), '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`Usage: mooring ${name}`) });
  }
  // Each process takes a tenth of a second, and there are a hundred commands.
  for (const command of shown) expect(helpOf(command)).toContain(`Usage: mooring ${command.name}`);
  expect((await somebody.run(['help', 'token', 'create'])).stdout).toContain('--expires-in-days <n>');
  expect((await somebody.run(['token', '--help'])).stdout).toContain('token revoke <token>');
});

test('--version prints the version', async () => {
  expect((await somebody.run(['--version'])).stdout).toMatch(/^mooring \d+\.\d+\.\d+\n$/);
  expect(await somebody.json(['--version'])).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

test('a full disk is a one-line error', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(nodeOnPath, [launcher, 'help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^mooring: ENOSPC[^\n]+\n$/) });
});

test('the launcher says what to do before the first build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-cli-unbuilt-'));
  cpSync(launcher, join(folder, 'bin', 'mooring.mjs'));
  const { status, stderr } = spawnSync(nodeOnPath, [join(folder, 'bin', 'mooring.mjs'), 'whoami'], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('not built yet; run: npm run build'),
  });
});
