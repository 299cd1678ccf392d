import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, ensureProject, folderOf } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { changes, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';

const service = (name: string, program: string, lines: string[] = []) =>
  [`  ${name}:`, `image: ${node.name}`, `command: ["node", "-e", ${JSON.stringify(program)}]`, ...lines].join('\n    ');
const stack = (...services: string[]) =>
  folderOf({ 'compose.yaml': `services:\n${services.join('\n')}\nvolumes:\n  data:\n` });

const count = `require('fs').appendFileSync('/data/runs', 'x')`;
const shows = (version: string) =>
  `require('http').createServer((q, s) => s.end('${version} ' + require('fs').readFileSync('/data/runs', 'utf8'))).listen(3000); process.on('SIGTERM', () => process.exit())`;
const lives = `setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit())`;
const data = 'volumes: ["data:/data"]';
const afterMigrate = 'depends_on: { migrate: { condition: service_completed_successfully } }';

describe.runIf(has('docker'))('kinds of services', () => {
  let rig: StackStage;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close(), 120_000);

  it('a migration runs once per version, before its dependents, and not again automatically', async () => {
    const project = await ensureProject(rig.service(), 'migrated');
    const source = (version: string, migration = '1', more = '') =>
      stack(
        service('migrate', `${count}; /* ${migration} */ ${more}`, [data]),
        service('web', shows(version), ['volumes: ["data:/data:ro"]', 'ports: ["3000"]', afterMigrate]),
      );
    const first = await rig.deployed(project, source('v1'));
    expect(statuses(first), JSON.stringify(first)).toEqual({ migrate: 'completed', web: 'ready' });
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('v1 x');
    for (const version of ['v2', 'v3', 'v4']) {
      const next = await rig.deployed(project, source(version));
      expect(changes(next), version).toEqual({ migrate: 'unchanged', web: 'replace' });
      expect((await ask(url)).body).toBe(`${version} x`);
    }
    for (const { id } of (await rig.containers(project)).filter(({ service: name }) => name === 'migrate'))
      await rig.docker.client.json({ method: 'DELETE', path: `/containers/${id}`, query: { force: true } });
    await sleep(12_000);
    expect((await ask(url)).body, 'nobody runs it because its container is gone').toBe('v4 x');
    const fifth = await rig.deployed(project, source('v5', '2'));
    expect([changes(fifth)['migrate'], (await ask(url)).body]).toEqual(['replace', 'v5 xx']);
    const failed = await rig.deployed(project, source('v6', '3', 'process.exit(8)'));
    expect([failed.status, statuses(failed)], JSON.stringify(failed)).toEqual([
      'failed',
      { migrate: 'failed', web: 'skipped' },
    ]);
    expect((await ask(url)).body, 'and the one before is not run again').toBe('v5 xxx');
  }, 240_000);

  it('an old migration does not run again on reject', async () => {
    const project = await ensureProject(rig.service(), 'undone');
    const source = (migration: string, other: string) =>
      stack(
        service('migrate', `${count}; /* ${migration} */`, [data]),
        service('web', shows('web'), ['volumes: ["data:/data:ro"]', 'ports: ["3000"]', afterMigrate]),
        service('other', other),
      );
    const first = await rig.deployed(project, source('1', lives));
    expect(first.error, JSON.stringify(first)).toBeNull();
    const half = await rig.deployed(project, source('2', 'process.exit(1)'));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ migrate: 'completed', other: 'failed' });
    const rejected = await rig.done(half.id, 'reject');
    expect(rejected.status, JSON.stringify(rejected)).toBe('rejected');
    expect((await ask(first.urls[0]!)).body).toBe('web xx');
  }, 180_000);

  it('restart: "no" may exit with success, and is not restarted', async () => {
    const project = await ensureProject(rig.service(), 'once');
    const source = (code: number) =>
      stack(service('web', lives), service('job', `setTimeout(() => process.exit(${code}), 200)`, ['restart: "no"']));
    const well = await rig.deployed(project, source(0));
    expect(statuses(well), JSON.stringify(well)).toEqual({ web: 'ready', job: 'completed' });
    const badly = await rig.deployed(project, source(3));
    expect([badly.status, badly.error?.message]).toEqual(['partial_failure', expect.stringContaining('exit code 3')]);
    await sleep(11_000);
    expect(Object.keys(await rig.running(project))).toEqual(['web']);
  }, 180_000);

  it('services of a profile run only if the profile is requested', async () => {
    const project = await ensureProject(rig.service(), 'profiles');
    const source = stack(service('web', lives), service('debug', lives, ['profiles: [tools]']));
    const first = await rig.deployed(project, source);
    expect(statuses(first), JSON.stringify(first)).toEqual({ web: 'ready' });
    const second = await rig.deployed(project, source, { envVars: { COMPOSE_PROFILES: 'tools' } });
    expect(statuses(second), JSON.stringify(second)).toMatchObject({ debug: 'ready' });
    const third = await rig.deployed(project, source);
    expect([third.status, statuses(third)['debug']]).toEqual(['ready', 'removed']);
  }, 180_000);

  it('an address that a deployment drops is served until that deployment has succeeded', async () => {
    const project = await ensureProject(rig.service(), 'moving');
    const server = (name: string) =>
      `require('http').createServer((q, s) => s.end('${name}')).listen(3000); process.on('SIGTERM', () => process.exit())`;
    const port = ['ports: ["3000"]'];
    const first = await rig.deployed(
      project,
      stack(service('site', server('site'), port), service('admin', server('admin'), port)),
    );
    expect(first.error, JSON.stringify(first)).toBeNull();
    const [main = '', admin = ''] = first.urls.toSorted(
      (a, b) => Number(a.includes('//admin.')) - Number(b.includes('//admin.')),
    );
    expect([(await ask(main)).body, (await ask(admin)).body]).toEqual(['site', 'admin']);
    // The web server would get the first address and admin would lose it, but the web server does not start.
    const half = await rig.deployed(
      project,
      stack(service('site', server('site 2'), port), service('web', 'process.exit(1)', port)),
    );
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ site: 'ready', web: 'failed' });
    for (const wait of [0, 11_000]) {
      await sleep(wait);
      expect([(await ask(main)).body, (await ask(admin)).body]).toEqual(['site 2', 'admin']);
    }
    await rig.done(half.id, 'reject');
    for (const wait of [0, 11_000]) {
      await sleep(wait);
      expect([(await ask(main)).body, (await ask(admin)).body]).toEqual(['site', 'admin']);
    }
  }, 180_000);
});
