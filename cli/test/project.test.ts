import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openerOf } from '../src/commands/projects/open.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

type Project = { id: string; name: string; startCommand: string | null; healthCheck: object; rollbackWindow: number };

let service: Service;
let url: string;
const ada = new Person();
const folder = join(ada.home, 'gallery');
const set = (...args: string[]) => ada.run(['project', 'set', 'gallery', ...args]);
const shown = () => ada.json<Project>(['project', 'show', 'gallery']);
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), 'pictures');
  url = (await ada.run(['deploy', folder])).stdout.trim();
});
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
});

test('list shows projects with their addresses, also by its former name', async () => {
  expect((await ada.run(['project', 'list'])).stdout).toMatch(
    /gallery +gallery +http:\/\/gallery\.localhost:\d+ +serving +upload/,
  );
  expect(await ada.json(['projects'])).toEqual(await ada.json(['project', 'list']));
  expect((await ada.run(['help'])).stdout).not.toMatch(/^ {2}projects/m);
});

test('list and show say what serves after a failed deployment', async () => {
  const broken = join(ada.home, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'package.json'), '{ "scripts": { "build": "exit 1", "start": "node a.js" } }');
  const deploy = async (from: string, to: string) => (await ada.run(['deploy', from, to, '--no-save'])).code;
  const listed = async () => (await ada.run(['project', 'list'])).stdout;
  expect(await deploy(broken, '--new=portraits')).toBe(1);
  expect(await listed()).toMatch(/portraits.* failed +upload/);
  expect(await deploy(folder, '--project=portraits')).toBe(0);
  expect(await listed()).toMatch(/portraits.* serving +upload/);
  expect(await deploy(broken, '--project=portraits')).toBe(1);
  expect(await listed()).toMatch(/portraits.* serving, last deployment failed +upload/);
  expect((await ada.run(['project', 'show', 'portraits'])).stdout).toMatch(
    /Status +serving, last deployment failed\n.*Deployed +.*\(dep_\w+, ready\)/s,
  );
  expect((await ada.run(['project', 'delete', 'portraits', '--yes'])).code).toBe(0);
});

test('an empty install, build or release command means none', async () => {
  const commands = async (...args: string[]) => {
    const { buildCommand, releaseCommand } = await ada.json<Record<string, unknown>>([
      'project',
      'set',
      'gallery',
      ...args,
    ]);
    return { buildCommand, releaseCommand };
  };
  expect(await commands('buildCommand=', 'releaseCommand=')).toEqual({ buildCommand: '', releaseCommand: '' });
  expect(await commands('--unset', 'buildCommand', '--unset', 'releaseCommand')).toEqual({
    buildCommand: null,
    releaseCommand: null,
  });
});

test('list works without the permission to list deployments', async () => {
  const token = (
    await ada.run(['token', 'create', '--name', 'projects', '--permission', 'project:list'])
  ).stdout.trim();
  const { code, stdout } = await ada.run(['project', 'list'], {
    env: { MOORING_TOKEN: token, MOORING_URL: service.url },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/ADDRESS +SOURCE.*gallery/s) });
});

test('create makes a project that can be configured before its first deployment', async () => {
  const { stdout, stderr } = await ada.run(['project', 'create', 'Later', '--git', 'https://git.example/later.git']);
  expect(stdout).toMatch(/^Later is created\. Its address will be http:\/\/later\.localhost:\d+\n$/);
  expect(stderr).toBe('Deploy it: mooring deploy --git --project later\n');
  expect(await ada.run(['env', 'set', 'later', 'LEVEL=debug', '--plain'])).toMatchObject({ code: 0 });
  expect(await ada.json(['project', 'show', 'later'])).toMatchObject({
    source: { type: 'git', url: 'https://git.example/later.git' },
  });
  expect(await ada.run(['project', 'create', 'Other', '--branch', 'next'])).toMatchObject({ code: 2 });
});

test('set changes fields of every kind, show prints them, and unset resets them', async () => {
  expect(
    await set('startCommand=node server.js', 'healthCheck.path=/up', 'healthCheck.timeoutSeconds=90'),
  ).toMatchObject({
    code: 0,
    stdout:
      'startCommand is set to node server.js.\nhealthCheck.path is set to /up.\nhealthCheck.timeoutSeconds is set to 90.\n',
  });
  expect((await set('rollbackWindow=9', 'autoDeploy=no', 'resources.memoryMb=512', 'port=8080')).code).toBe(0);
  expect(await shown()).toMatchObject({
    startCommand: 'node server.js',
    healthCheck: { path: '/up', timeoutSeconds: 90 },
    resources: { memoryMb: 512 },
    rollbackWindow: 9,
    autoDeploy: false,
    port: 8080,
  });
  expect((await ada.run(['project', 'show', 'gallery'])).stdout).toMatch(
    /Project +gallery \(prj_.*Address +http:\/\/gallery.*startCommand +node server\.js.*healthCheck\.path +\/up/s,
  );
  expect((await set('startCommand=', '--unset', 'healthCheck.path', '--unset', 'rollbackWindow')).stdout).toBe(
    'startCommand is unset.\nhealthCheck.path is unset.\nrollbackWindow is set to 5.\n',
  );
  expect(await shown()).toMatchObject({ startCommand: null, healthCheck: { timeoutSeconds: 90 }, rollbackWindow: 5 });
});

test('invalid fields are refused by name', async () => {
  expect(await set('startComand=x')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean startCommand?'),
  });
  expect(await set('port=many')).toMatchObject({ code: 2, stderr: expect.stringContaining('port must be a number') });
  expect(await set('port=99999')).toMatchObject({ code: 1, stderr: expect.stringContaining('port') });
  expect(await set('healthCheck.path=up')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('healthCheck.path'),
  });
  expect(await set('autoDeploy=perhaps')).toMatchObject({ code: 2, stderr: expect.stringContaining('true or false') });
  expect(await set('branch=main')).toMatchObject({ code: 1, stderr: expect.stringContaining('has no branch') });
  expect(await set('slug=')).toMatchObject({ code: 2, stderr: expect.stringContaining('slug cannot be unset') });
  expect(await set()).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to change') });
});

test('the branch of a git project can be changed', async () => {
  const source = { type: 'git', url: 'https://example.com/x.git', branch: 'main' };
  await ada.json(['api', '/api/projects', '-d', JSON.stringify({ name: 'From git', source })]);
  expect(await ada.json(['project', 'set', 'from-git', 'branch=next'])).toMatchObject({ source: { branch: 'next' } });
  const { source: unset } = await ada.json<{ source: object }>(['project', 'set', 'From git', '--unset', 'branch']);
  expect(unset).toEqual({ type: 'git', url: 'https://example.com/x.git' });
});

test('an ambiguous name lists all matching projects', async () => {
  for (const name of ['Twin', 'TWIN', 'tWin']) await ada.json(['api', '/api/projects', '-d', JSON.stringify({ name })]);
  expect((await ada.run(['project', 'show', 'twiN'])).stderr).toMatch(
    /is ambiguous: (\w+ \(prj_\w+\)( or )?){3}; use the id/,
  );
  expect(await ada.json(['project', 'show', 'Twin'])).toMatchObject({ name: 'Twin' });
});

test('open prints the address of the release, and opens it if there is a display', async () => {
  expect(await ada.run(['open', 'gallery'])).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: '' });
  expect(await ada.run(['open', 'from-git'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no active release'),
  });
  expect(openerOf('linux', {})).toBeUndefined();
  expect(openerOf('linux', { DISPLAY: ':0' })).toBe('xdg-open');
  expect(openerOf('darwin', {})).toBe('open');
});

test('delete prompts for the name on a terminal, and needs --yes without one', async () => {
  expect(await ada.run(['project', 'delete', 'from-git'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('confirm the deletion with --yes'),
  });
  expect(await ada.run(['project', 'delete', 'from-git', '--yes'])).toMatchObject({ code: 0 });
  if (!existsSync('/usr/bin/script')) return;
  const wrong = new Typist(ada, ['project', 'delete', 'gallery']);
  await wrong.answer('Type gallery to confirm', 'galery');
  expect(await wrong.end()).toBe(1);
  const right = new Typist(ada, ['project', 'delete', 'gallery']);
  await right.answer('Type gallery to confirm', 'gallery');
  expect(await right.end()).toBe(0);
  expect(right.screen).toMatch(/with 1 deployment, 0 variables, 0 domains\. http:\/\/gallery.* will stop serving/);
});
