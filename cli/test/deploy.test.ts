import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newFolder } from '../../server/test/rig/children.ts';
import { ask } from '../../server/test/rig/deploy.ts';
import { startGitServer } from '../../server/test/rig/git-server.ts';
import { until } from '../../server/test/rig/until.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

type Deployment = { id: string; status: string; active: boolean; rollbackOf: string | null; urls: string[] };

let service: Service;
const ada = new Person();
const examples = join(import.meta.dirname, '..', '..', 'examples');
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
});
afterAll(async () => {
  for (const { id } of await ada.json<{ id: string }[]>(['projects']))
    await ada.run(['api', `/api/projects/${id}`, '-X', 'DELETE']);
  await stopWithApps(service);
  ada.leave();
});

function copyOf(example: string, name = example): string {
  const folder = join(ada.home, name);
  // Developers who followed the README have a mooring.json in the examples.
  cpSync(join(examples, example), folder, { recursive: true, filter: (path) => basename(path) !== 'mooring.json' });
  return folder;
}

const listed = (project: string) => ada.json<Deployment[]>(['deployments', '--project', project]);

test('a static site prints only its address on stdout, and links the folder to its project', async () => {
  const folder = copyOf('static-site', 'my-site');
  const { code, stdout, stderr } = await ada.run(['deploy', folder]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^http:\/\/my-site\.localhost:\d+\n$/) });
  expect(stderr).toMatch(/New project +my-site .*✓ source {2}\d\.\d s.*✓ route.* is ready after/s);
  expect(await ask(stdout.trim())).toMatchObject({
    status: 200,
    body: readFileSync(join(folder, 'index.html'), 'utf8'),
  });
  expect(JSON.parse(readFileSync(join(folder, 'mooring.json'), 'utf8'))).toEqual({
    project: 'my-site',
    projectId: expect.stringMatching(/^prj_/) as string,
  });
  expect(await ada.json(['deploy', folder])).toMatchObject({ status: 'ready', active: true, urls: [stdout.trim()] });
  expect(await listed('my-site')).toMatchObject([{ active: true }, { active: false }]);
  expect((await ada.run(['services', 'my-site'])).stdout).toContain(stdout.trim());
});

describe('an app', () => {
  test('is deployed twice with a variable, and rolled back', async () => {
    const folder = copyOf('node-http');
    writeFileSync(join(folder, '.env'), 'GREETING=from a file');
    const set = await ada.run(['env', 'set', 'node-http', 'GREETING'], { stdin: 'Ahoy there\n' });
    expect(set).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no project node-http') });
    const first = await ada.run(['deploy', folder, '--no-save']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('Not uploaded: .env.') });
    expect(existsSync(join(folder, 'mooring.json'))).toBe(false);
    const url = first.stdout.trim();
    expect((await ask(url)).body).toContain('Hello from Mooring');

    expect(await ada.run(['env', 'set', 'node-http', 'GREETING'], { stdin: 'Ahoy there\n' })).toMatchObject({
      code: 0,
    });
    expect(await ada.json(['redeploy', 'node-http'])).toMatchObject({ status: 'ready' });
    expect((await ask(url)).body).toContain('Ahoy there');

    expect(await ada.run(['rollback', 'node-http'])).toMatchObject({ code: 0, stdout: `${url}\n` });
    expect((await ask(url)).body).toContain('Hello from Mooring');
    const [newest, , oldest] = await listed('node-http');
    expect(newest).toMatchObject({ active: true, rollbackOf: oldest!.id });
    expect(await ada.run(['rollback', 'node-http'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('node-http has no earlier release in production; see: mooring deployments'),
    });
    expect(await ada.run(['deployment', 'delete', newest!.id])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is active: http\S+ stops serving\. Confirm the deletion with --yes\n$/),
    });
    expect((await ask(url)).body).toContain('Hello from Mooring');
  });

  test('applies variables and settings without a build, and says which need one', async () => {
    const url = (await ada.run(['open', 'node-http'])).stdout.trim();
    const set = await ada.run(['env', 'set', 'node-http', 'GREETING=Later', '--plain']);
    expect(set).toMatchObject({ code: 0, stdout: 'GREETING is set.\n' });
    expect(set.stderr).toContain('mooring redeploy node-http --same-build');
    expect((await ask(url)).body).toContain('Hello from Mooring');
    const applied = await ada.run(['redeploy', 'node-http', '--same-build']);
    expect(applied).toMatchObject({ code: 0, stdout: `${url}\n` });
    expect(applied.stderr).not.toContain('build');
    expect((await ask(url)).body).toContain('Later');
    const now = await ada.run(['env', 'set', 'node-http', 'GREETING=Now', '--plain', '--apply']);
    expect(now).toMatchObject({ code: 0, stdout: `${url}\n`, stderr: expect.stringMatching(/^GREETING is set\.\n/) });
    expect((await ask(url)).body).toContain('Now');
    const built = await ada.run(['project', 'set', 'node-http', 'buildCommand=:', '--apply']);
    expect(built).toMatchObject({ code: 0, stdout: `${url}\n` });
    expect(built.stderr).toMatch(/This needs a build, because it changes buildCommand\..*✓ build/s);
    const site = await ada.run(['env', 'set', 'my-site', 'A=1', '--plain', '--apply']);
    expect(site).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing to apply: this is a static site') });
    const unset = await ada.run(['env', 'unset', 'my-site', 'A']);
    expect(unset).toMatchObject({ code: 0, stderr: expect.stringContaining('now: mooring redeploy my-site. ') });
    expect(unset.stderr).not.toContain('--same-build');
    expect(await ada.run(['env', 'unset', 'node-http', 'GREETING', '--apply'])).toMatchObject({ code: 0 });
    expect((await ask(url)).body).toContain('Hello from Mooring');
  }, 180_000);

  test('is told how to apply a change now only once there is a release', async () => {
    const folder = join(ada.home, 'broken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'server.js'), 'throw new Error("broken")');
    expect((await ada.run(['deploy', folder])).code).toBe(1);
    for (const change of [
      ['env', 'set', 'broken', 'A=1', '--plain'],
      ['project', 'set', 'broken', 'startCommand=node server.js'],
      ['volume', 'add', 'broken', 'data', 'data'],
    ])
      expect(await ada.run(change)).toMatchObject({
        code: 0,
        stderr: 'This takes effect with the next deployment.\n',
      });
  });

  test('in a folder of a monorepo uploads the whole repository, and the project keeps the folder', async () => {
    const folder = join(ada.home, 'mono');
    for (const path of ['apps/web', 'packages/words']) mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"name": "mono"}');
    writeFileSync(join(folder, 'packages/words/index.js'), 'module.exports = "from the workspace";');
    writeFileSync(join(folder, 'apps/web/package.json'), '{"scripts": {"start": "node server.js"}}');
    writeFileSync(
      join(folder, 'apps/web/server.js'),
      `require('node:http').createServer((_, r) => r.end(require('../../packages/words'))).listen(process.env.PORT)`,
    );
    expect(await ada.run(['deploy', folder, '--root', 'apps/none'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--root apps/none is not a folder of'),
    });
    expect(await ada.run(['deploy', folder, '--root', '../x'])).toMatchObject({ code: 2 });
    const first = await ada.run(['deploy', folder, '--root', './apps/web/']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/App folder +apps\/web/) });
    expect((await ask(first.stdout.trim())).body).toBe('from the workspace');
    expect(await ada.json(['project', 'show', 'mono'])).toMatchObject({ rootDirectory: 'apps/web' });
    expect(await ada.run(['deploy', folder])).toMatchObject({ code: 0, stdout: first.stdout });
  }, 180_000);

  test('prints its logs, stored and live', async () => {
    expect((await ada.run(['logs', 'node-http', '--runtime'])).stdout).toContain('version 1.0.0 listens on port');
    expect((await ada.json<{ kind: string }[]>(['logs', 'node-http', '--tail', '2'])).length).toBe(2);
    const following = ada.start(['logs', 'node-http', '-f', '--runtime']);
    let seen = '';
    await new Promise<void>((resolve) => {
      following.stdout!.on('data', (chunk: Buffer) => {
        seen += chunk.toString();
        if (seen.includes('listens')) resolve();
      });
    });
    expect(await ada.json(['restart', 'node-http'])).toMatchObject({ active: true });
    while (seen.split('listens').length < 3) await new Promise((resolve) => following.stdout!.once('data', resolve));
    following.kill('SIGINT');
    expect(seen.match(/listens/g)).toHaveLength(2);
  });

  test('that exits after a slow restart fails the restart', async () => {
    const gate = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const folder = join(ada.home, 'slow-end');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"slow-end","scripts":{"start":"node server.js"}}');
    writeFileSync(
      join(folder, 'server.js'),
      `fetch('http://127.0.0.1:${(gate.address() as AddressInfo).port}').then(
         () => require('node:http').createServer((_, response) => response.end()).listen(process.env.PORT),
         () => process.exit(3));
       process.on('SIGTERM', () => setTimeout(() => process.exit(), 3000));`,
    );
    const { id } = await ada.json<Deployment>(['deploy', folder]);
    gate.close();
    gate.closeAllConnections();
    expect(await ada.run(['restart', 'slow-end'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`${id} has trouble after its restart: app .*; see: mooring logs`)),
    });
    expect(await ada.run(['restart', 'slow-end', '--environment', 'staging'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('slow-end has nothing that is running in staging; see:'),
    });
    const logs = await ada.run(['logs', 'slow-end', '--build', '--environment', '']);
    expect(logs).toMatchObject({ code: 0, stderr: expect.stringContaining(`Logs of ${id}`) });
    expect(await ada.run(['deployments', '--environment', 'staging'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No deployments in staging'),
    });
  }, 60_000);

  test('is one service, and the plan says that it would be replaced', async () => {
    const [{ id } = { id: '' }] = await listed('node-http');
    expect((await ada.run(['services', 'node-http'])).stdout).toMatch(new RegExp(`app +ready +running +${id} +-`));
    const { code, stdout } = await ada.run(['plan', join(ada.home, 'node-http')]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^SERVICE.*\napp +replaced +without/) });
  });

  test('that does not start exits with 1, the reason and a hint', async () => {
    const { code, stdout, stderr } = await ada.run(['deploy', copyOf('node-crash')]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/✗ check.*\n- not run: route\nmooring: dep_\w+ failed at check: The app crashed \d+ times/s);
    expect(stderr).toContain('(exit code 1): Error: could not connect to the database at db.internal:5432\n');
    expect(stderr, 'there is none').not.toContain('previous release');
    expect((await ada.run(['plan', join(ada.home, 'node-crash')])).stdout).toMatch(
      /^Detected:\n(?: {2}.*\n)* {2}Start with: .*\n\nSERVICE.*\napp +new/,
    );
  });
});

test('is deployed from git, another branch, and the same commit again', async () => {
  const git = await startGitServer();
  const folder = copyOf('static-site', 'from-git');
  const first = git.push('site', folder, 'First');
  const body = { name: 'from-git', source: { type: 'git', url: git.url('site'), branch: 'main' } };
  await ada.json(['api', '/api/projects', '-d', JSON.stringify(body)]);
  const deploying = (...more: string[]) => ada.json(['deploy', '--git', '--project', 'from-git', ...more]);
  expect(await deploying()).toMatchObject({ status: 'ready', branch: 'main', commitSha: first });
  const other = git.push('site', folder, 'Other', 'other');
  expect(await deploying('--branch', 'other')).toMatchObject({ status: 'ready', commitSha: other });
  const [, oldest] = await listed('from-git');
  git.push('site', folder, 'Second');
  expect(await ada.json(['redeploy', oldest!.id, '--same-commit'])).toMatchObject({ commitSha: first });
  await git.stop();
});

test('does not show secret variables or accept them on the command line', async () => {
  const env = (...args: string[]) => ada.run(['env', ...args]);
  expect(await env('set', 'my-site', 'A=1')).toMatchObject({ code: 2, stderr: expect.stringContaining('--plain') });
  expect(await env('set', 'my-site', 'A=1=2', '--plain', '--build-time')).toMatchObject({ code: 0 });
  expect(await ada.run(['env', 'set', 'my-site', 'B'], { stdin: 'hidden-value' })).toMatchObject({ code: 0 });
  expect(await ada.json(['env', 'list', 'my-site'])).toMatchObject([
    { key: 'A', value: '1=2', secret: false, buildTime: true },
    { key: 'B', value: null, secret: true, buildTime: false },
  ]);
  const file = join(newFolder('env'), '.env');
  writeFileSync(file, '# of a test\nexport C="two\\nlines"\nB=\nD=4 # four\n');
  const imported = await env('import', 'my-site', file);
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('2 variables are set: C, D.') });
  expect(imported.stderr).toContain('Left as they are, because they are empty in the file: B');
  expect(await ada.run(['env', 'import', 'my-site', '-', '--plain'], { stdin: 'D=5' })).toMatchObject({ code: 0 });
  expect(await ada.json(['env', 'list', 'my-site'])).toMatchObject([
    { key: 'A' },
    { key: 'B', secret: true },
    { key: 'C', value: null, secret: true },
    { key: 'D', value: '5', secret: false },
  ]);
  writeFileSync(file, 'E=1\nnot a variable\n');
  expect((await env('import', 'my-site', file)).stderr).toContain('not a variable in line 2; nothing was set');
  expect((await env('import', 'my-site', '/nowhere/.env')).stderr).toContain('/nowhere/.env cannot be read');
  for (const key of ['C', 'D']) expect(await env('unset', 'my-site', key)).toMatchObject({ code: 0 });
  expect(await env('unset', 'my-site', 'C')).toMatchObject({ code: 1, stderr: expect.stringContaining('it has A, B') });
  expect(await env('unset', 'my-site', 'A')).toMatchObject({ code: 0 });
});

test('commands without a project refer to that of the folder', async () => {
  const here = (...args: string[]) => ada.run(args, { cwd: join(ada.home, 'my-site') });
  const active = (await listed('my-site')).find((each) => each.active)!;
  expect((await here('logs')).stderr).toContain(`Logs of ${active.id}`);
  expect((await here('env', 'list')).stdout).toContain('KEY');
  expect((await here('cancel')).stderr).toContain('my-site has no deployment in progress');
  const elsewhere = join(ada.home, 'elsewhere', 'my-site');
  mkdirSync(elsewhere, { recursive: true });
  expect((await ada.run(['cancel'], { cwd: elsewhere })).stderr).toContain('this folder is not linked to a project');
});

test('rejects invalid values and lists the valid ones', async () => {
  const failing = async (...args: string[]) => (await ada.run(args)).stderr;
  expect(await failing('logs', 'my-sit')).toContain('did you mean my-site?');
  expect(await failing('logs', 'dep_nothing')).toContain(
    'there is no deployment dep_nothing; see: mooring deployments',
  );
  expect(await failing('deploy', '/nowhere')).toContain('/nowhere is not a folder');
  expect(await failing('deploy', '--branch', 'x')).toContain('--branch goes with --git');
  expect(await failing('deploy', '--git', '--project', 'my-site')).toContain('no git source');
  expect(await failing('cancel', 'my-site')).toContain('no deployment in progress');
  expect(await failing('keep', 'my-site')).toContain('no deployment that needs a decision');
  expect(await failing('plan', '--branch', 'x')).toContain('--branch goes with --git');
  expect(await failing('logs', 'my-site', '--service', 'db')).toContain('has no service db; it has app');
});

describe.skipIf(!existsSync('/usr/bin/script'))('on a terminal', () => {
  test('prompts for an approval; Ctrl-C leaves the deployment running', async () => {
    await ada.json(['api', '/api/projects', '-d', '{"name":"asks","requireApproval":true}']);
    const folder = copyOf('static-site', 'asks');
    const approving = new Typist(ada, ['deploy', folder, '--project', 'asks']);
    await approving.answer('Answer (approve, reject)', 'perhaps');
    await approving.answer('Answer with one of', 'approve');
    expect(await approving.end()).toBe(0);

    const leaving = new Typist(ada, ['deploy', folder]);
    await leaving.answer('Answer (approve, reject)', '\u0003');
    expect(await leaving.end()).toBe(130);
    expect(leaving.screen).toMatch(/continues.*mooring cancel dep_/s);
    expect(await ada.json(['cancel', 'asks'])).toMatchObject({ active: false });
    await until('it is cancelled', async () => (await listed('asks'))[0]?.status === 'cancelled');
  });
});
