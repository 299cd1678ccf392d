import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, folderOf } from '../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { has } from '../../server/test/rig/parts.ts';
import { Person, Typist } from './mooring.ts';
import { account } from './service.ts';

type Deployment = {
  id: string;
  status: string;
  decision: string | null;
  urls: string[];
  services: { name: string; status: string; deploymentId: string; container?: { state: string } }[];
};

/** A container's program: it prints and serves this text. */
const program = (text: string) =>
  `console.log('this is ${text}'); require('node:http').createServer((q, r) => r.end('${text}')).listen(3000); process.on('SIGTERM', () => process.exit(0))`;
const crash = `console.error('no luck'); process.exit(3)`;

type Parts = { web?: string; job?: string; more?: string };

function compose({ web = program('web one'), job = program('job one'), more = '' }: Parts = {}): string {
  const service = (name: string, code: string, rest: string) =>
    `  ${name}:\n    image: ${node.name}\n    command: ${JSON.stringify(['node', '-e', code])}\n${rest}`;
  const services = [
    service('web', web, '    ports: ["3000"]\n'),
    service('background-job', job, more),
    service('db', program('db one'), '    volumes: ["data:/data"]\n'),
  ];
  return `services:\n${services.join('')}volumes:\n  data:\n`;
}

describe.runIf(has('docker'))('several services', () => {
  let rig: DockerService;
  const ada = new Person();
  const folder = folderOf({ 'compose.yaml': compose(), 'mooring.json': '{"project":"shop"}' });
  const change = (parts: Parts) => writeFileSync(join(folder, 'compose.yaml'), compose(parts));
  const halfBroken = () => change({ web: program('web two'), job: crash });
  const list = () => ada.json<Deployment[]>(['deployments', '--project', 'shop']);
  beforeAll(async () => {
    rig = await startDockerService({ ...account, MOORING_START_TIMEOUT: '20' });
    await makeImage(rig.docker.client, node);
    await ada.logIn(rig.service.url);
  }, 120_000);
  afterAll(async () => {
    await rig?.close();
    ada.leave();
  });

  test('are refused without trust, with one reason on each line', async () => {
    const file = `services:\n  wild:\n    image: ${node.name}\n    privileged: true\n    pid: host\n`;
    const { code, stderr } = await ada.run(['deploy', folderOf({ 'compose.yaml': file }), '--new=wild']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /asks for access to the machine it runs on:\n {4}\S+: services\.wild\.\w+: .+\n {4}\S+: services\.wild\.\w+: /,
      ),
    ]);
  });

  test('are deployed with the plan and each status, and listed', async () => {
    const early = await ada.run(['plan', folder]);
    expect(early).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the project shop, which does not exist here'),
    });
    const { code, stdout, stderr } = await ada.run(['deploy', folder, '--new']);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringMatching(/^http:\/\/shop\.\S+\n$/) });
    expect(stderr).toContain('\n  web             new\n  background-job  new\n  db              new\n✓ plan');
    expect(stderr).toMatch(/\n✓ background-job {2}ready\n/);
    expect((await ask(stdout.trim())).body).toBe('web one');
    const table = (await ada.run(['services', 'shop'])).stdout;
    expect(table).toMatch(/SERVICE +STATUS +RUNS +DEPLOYED BY +IMAGE/);
    expect(table).toMatch(/background-job +ready +running +dep_\w+ +node:24-slim/);
    expect((await ada.json<Deployment['services']>(['services', 'shop'])).map((each) => each.container?.state)).toEqual(
      ['running', 'running', 'running'],
    );
  }, 120_000);

  test('are public where the file or an endpoint says so', async () => {
    const listed = async () => (await ada.run(['endpoint', 'list', 'shop'])).stdout;
    expect(await listed()).toMatch(/^web +http:\/\/shop\.localhost:\d+ +-$/m);
    expect(await listed()).toMatch(/^background-job +not public +-$/m);
    const typo = await ada.run(['endpoint', 'add', 'shop', 'job']);
    expect(typo).toMatchObject({ code: 1, stderr: expect.stringContaining('no service job; it has web,') });
    expect(await ada.run(['endpoint', 'add', 'shop', 'background-job:3000', '--apply'])).toMatchObject({ code: 0 });
    expect(await listed()).toMatch(/^web +http:\/\/shop\.localhost:\d+ +web$/m);
    expect(await listed()).toMatch(
      /^background-job +http:\/\/background-job\.shop\.localhost:\d+ +background-job:3000$/m,
    );
    expect(await ada.run(['endpoint', 'remove', 'shop', 'background-job'])).toMatchObject({ code: 0 });
    expect(await ada.run(['endpoint', 'remove', 'shop', 'web', '--apply'])).toMatchObject({ code: 0 });
  }, 120_000);

  test('are refused access to the machine, with the command that allows it', async () => {
    const text = `services:\n  agent:\n    image: ${node.name}\n    privileged: true\n    volumes: ["/etc:/host:ro"]\n`;
    const refused = await ada.run(['deploy', folderOf({ 'compose.yaml': text }), '--new=agent', '--no-save']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('mooring project trust agent') });
    const asked = await ada.run(['project', 'trust', 'agent']);
    expect(asked).toMatchObject({ code: 1 });
    expect(asked.stderr).toMatch(
      /compose\.yaml:4: services\.agent\.privileged: a privileged container has full control/,
    );
    expect(asked.stderr).toMatch(/compose\.yaml:5: services\.agent\.volumes: \/etc is outside the source; it can read/);
    expect(await ada.run(['project', 'trust', 'agent', '--yes'])).toMatchObject({ code: 0 });
  }, 60_000);

  test('have a plan that says what changes, how, why, and which data is left behind', async () => {
    writeFileSync(
      join(folder, 'compose.yaml'),
      compose({ web: program('web two'), more: '    scale: 3\n' }).replace('data:/data', 'other:/data') + '  other:\n',
    );
    const { code, stdout } = await ada.run(['plan', folder]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/web +replaced +without downtime +its settings or its files have changed\n/);
    expect(stdout).toMatch(/This leaves data behind.*\n {2}db has the volume other at \/data in place of/);
    expect(stdout).toMatch(/Warnings:\n.*background-job\.scale is ignored/);
    expect(await ada.json(['plan', folder])).toMatchObject({ services: [{ name: 'web', change: 'replace' }, {}, {}] });
    expect(await list()).toHaveLength(3);
  }, 60_000);

  test('can be restarted one by one, each with its own log', async () => {
    const logs = async (...more: string[]) => (await ada.run(['logs', 'shop', '--runtime', ...more])).stdout;
    expect(await logs()).toMatch(/^background-job {2}this is job one$/m);
    expect(await logs()).toMatch(/^web {13}this is web one$/m);
    expect(await logs('--service', 'web')).toBe('this is web one\n');
    expect(await ada.run(['restart', 'shop', '--service', 'web'])).toMatchObject({ code: 0 });
    expect(await logs()).toMatch(/this is web one[^]*this is web one/);
    expect((await logs()).match(/this is job one/g)).toHaveLength(1);
    for (const command of ['logs', 'restart'])
      expect(await ada.run([command, 'shop', '--service', 'wep'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('has no service wep; it has web, background-job, db'),
      });
  }, 60_000);

  test('are waited for if they are removed during their restart', async () => {
    const ignoring = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`;
    const image = `image: ${node.name}\n    command: ${JSON.stringify(['node', '-e', ignoring])}`;
    const slow = folderOf({ 'compose.yaml': `services:\n  web:\n    ${image}\n    stop_grace_period: 5s\n` });
    expect((await ada.run(['deploy', slow, '--new=slow'])).code).toBe(0);
    const [newest] = await rig.docker.client.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json' });
    const restarting = ada.run(['restart', 'slow']);
    await sleep(2000);
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${newest!.Id}`, query: { force: true } });
    expect(await restarting).toMatchObject({ code: 0, stdout: expect.stringContaining('is restarted') });
    expect((await ada.run(['services', 'slow'])).stdout).toMatch(/web +ready +running/);
  }, 120_000);

  test('exit with 3 after a partial failure, with the reasons and both choices; the release is kept', async () => {
    halfBroken();
    const { code, stdout, stderr } = await ada.run(['deploy', folder]);
    expect({ code, stdout }, stderr).toEqual({ code: 3, stdout: '' });
    const [{ id } = { id: '' }] = await list();
    expect(stderr).toContain(`mooring: ${id} needs a decision: 1 of 3 services failed\n✗ background-job  `);
    expect(stderr).toMatch(/✗ background-job {2}crashed 3 times .*\(exit code 3\): no luck\n/);
    expect(stderr).toContain(`  mooring keep ${id} `);
    expect(stderr).toContain(`  mooring reject ${id} `);
    const next = await ada.run(['deploy', folder]);
    expect(next).toMatchObject({ code: 1, stderr: expect.stringContaining(`mooring reject ${id}`) });
    const kept = await ada.run(['keep', 'shop']);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringMatching(/ is kept .*background-job\.\n$/) });
    expect((await list())[0]).toMatchObject({ id, status: 'ready', decision: 'kept' });
    expect(await ada.run(['keep', 'shop'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs a decision'),
    });
  }, 120_000);

  test('print a partial failure as JSON, and are rejected by its id', async () => {
    change({ web: program('web three'), job: crash });
    const { code, stdout } = await ada.run(['deploy', folder, '--json']);
    const { id, status } = JSON.parse(stdout) as Deployment;
    expect({ code, status }).toEqual({ code: 3, status: 'partial_failure' });
    const rejected = await ada.json<Deployment>(['reject', id]);
    expect(rejected).toMatchObject({ status: 'rejected', services: [{ name: 'web', status: 'rolled_back' }, {}, {}] });
    expect((await ask((await list())[1]!.urls[0]!)).body).toBe('web two');
  }, 120_000);

  test('end at a question without a terminal and change nothing, unless the answer is given', async () => {
    const db = (volume: string) =>
      `services:\n  db:\n    image: ${node.name}\n    command: ${JSON.stringify(['node', '-e', program('db')])}\n` +
      `    volumes: ["${volume}:/data"]\nvolumes:\n  ${volume}:\n`;
    const library = folderOf({ 'compose.yaml': db('books') });
    expect((await ada.run(['deploy', library, '--new=library'])).code).toBe(0);
    writeFileSync(join(library, 'compose.yaml'), db('other'));
    const ended = await ada.run(['deploy', library]);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(
      /\. Continue\?\nThere is no terminal to answer on, so the answer is cancel\. .* --answer continue\n/,
    );
    expect(ended.stderr).toMatch(/mooring: dep_\w+ failed at plan: the change would leave data behind/);
    const all = await ada.json<Deployment[]>(['deployments', '--project', 'library']);
    expect(all.map(({ status }) => status)).toEqual(['failed', 'ready']);
    expect(all[1]).toMatchObject({ active: true });
    const detached = await ada.run(['deploy', library, '--detach', '--answer', 'continue']);
    expect(detached).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be combined') });
    const answered = await ada.run(['deploy', library, '--answer', 'continue']);
    expect(answered).toMatchObject({ code: 0, stderr: expect.stringContaining('\nAnswer: continue\n') });
    const back = await ada.run(['rollback', 'library']);
    expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('--answer continue') });
    expect((await ada.run(['rollback', 'library', '--answer', 'continue'])).code).toBe(0);
  }, 180_000);

  test.skipIf(!existsSync('/usr/bin/script'))(
    'prompt for the decision on a terminal',
    async () => {
      const deploying = new Typist(ada, ['deploy', folder]);
      await deploying.answer('Decide now (keep, reject, later)', 'perhaps');
      await deploying.answer('Answer with one of', 'reject');
      expect(await deploying.end()).toBe(1);
      expect(deploying.screen).toContain('all services are back at their previous versions');
      const later = new Typist(ada, ['deploy', folder]);
      await later.answer('Decide now (keep, reject, later)', '\u0004');
      expect(await later.end()).toBe(3);
      expect((await list())[0]).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    },
    120_000,
  );
});
