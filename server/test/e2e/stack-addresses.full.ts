import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { healthy } from '../rig/stack-phases.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const subnet = '172.28.5.0/24';
const address = '172.28.5.10';

type Lan = { version?: string; subnet?: string; address?: string; startMs?: number; before?: string; network?: string };

/** A front that calls a service by its fixed address, and that service. */
const lan = ({ version = 'v1', startMs = 0, before = '', network = '', ...own }: Lan = {}) =>
  folderOf({
    'compose.yaml': `services:
  front:
    image: ${node.name}
    command: ["node", "/program/front.js"]
    volumes: ["./front:/program:ro"]
    environment: {TARGET: "http://${own.address ?? address}:3000/"}
    ports: ["3000"]
    networks: [lan, other]
    depends_on: [fixed]
  fixed:
    image: ${node.name}
    command: ["node", "/program/fixed.js"]
    volumes: ["./fixed:/program:ro"]
    ports: ["3000"]
    networks: {lan: {ipv4_address: ${own.address ?? address}}}
${healthy.map((line) => `    ${line}`).join('\n')}
networks:
  other:
  lan: {${network}ipam: {config: [{subnet: ${own.subnet ?? subnet}}]}}
`,
    'front/front.js': `require('node:http').createServer((request, response) =>
  fetch(process.env.TARGET).then((answer) => answer.text(), (error) => 'broken ' + error.cause?.code).then((text) => response.end('front / ' + text)),
).listen(3000);
process.on('SIGTERM', () => process.exit());`,
    'fixed/fixed.js': `${before}
const own = Object.values(require('node:os').networkInterfaces()).flat().map((each) => each.address);
const server = require('node:http').createServer((request, response) => response.end('${version} ' + own.includes('${own.address ?? address}')));
setTimeout(() => server.listen(3000), ${startMs});
process.on('SIGTERM', () => server.close(() => process.exit()));`,
  });

describe.runIf(has('docker'))('a service with a fixed address', () => {
  let rig: StackStage;
  let project: string;
  let front: string;
  let fixed: string;
  let firstId: string;
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'lan', { rollbackWindow: 2 });
    const first = await rig.deployed(project, lan());
    expect(first.error, JSON.stringify(first)).toBeNull();
    firstId = first.id;
    front = first.urls.find((each) => each.includes('//front.')) ?? first.urls[0]!;
    fixed = first.urls.find((each) => each.includes('//fixed.')) ?? first.urls.find((each) => each !== front)!;
  }, 180_000);
  afterAll(() => rig?.close(), 120_000);

  const serves = async (version: string) => {
    expect((await ask(fixed)).body).toBe(`${version} true`);
    expect((await ask(front)).body).toBe(`front / ${version} true`);
    await atRest(rig.service().dataDir);
    await untilTidy(rig.docker, rig.service().dataDir);
  };
  const allWell = (answers: Map<string, number>) => {
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !each.startsWith('200 '))).toEqual([]);
  };

  it('is reached there by another service', () => serves('v1'), 60_000);

  it('is replaced while requests wait, and rolled back', async () => {
    const asking = askAllTheTime(fixed, 3);
    const over = await rig.deployed(project, lan({ version: 'v2' }));
    expect(
      over.services.find(({ name }) => name === 'fixed'),
      JSON.stringify(over),
    ).toMatchObject({
      status: 'ready',
      strategy: 'stop_first',
      reason: expect.stringContaining(`the address ${address}`),
    });
    expect(statuses(over)['front']).toBe('unchanged');
    await serves('v2');
    const { deployment_id } = await json<{ deployment_id: string }>(rig.act(firstId, 'rollback'));
    expect((await rig.settled(deployment_id)).status).toBe('ready');
    await serves('v1');
    allWell(await asking.stop());
  }, 180_000);

  it('is restored when its new version fails', async () => {
    const asking = askAllTheTime(fixed, 3);
    const broken = await rig.deployed(project, lan({ version: 'v3', before: 'process.exit(5);' }));
    expect(statuses(broken)['fixed'], JSON.stringify(broken)).toBe('failed');
    if (broken.decision === 'pending') await rig.done(broken.id, 'reject');
    await serves('v1');
    allWell(await asking.stop());
  }, 180_000);

  it('survives kill -9 of Mooring in the middle of its replacement', async () => {
    const id = await begin(rig.service(), project, lan({ version: 'v4', startMs: 3000 }));
    await until(
      'it is replaced',
      async () => (await rig.shown(id)).services.some(({ name, status }) => name === 'fixed' && status === 'starting'),
      60_000,
    );
    await sleep(1000);
    await rig.killable.kill();
    await rig.killable.start();
    expect((await rig.settled(id)).status).toBe('ready');
    await serves('v4');
  }, 180_000);

  it('gets it again when its container is removed', async () => {
    const { fixed: id } = await rig.running(project);
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${id!}`, query: { force: true } });
    await until('it is back', async () => (await ask(fixed)).body === 'v4 true', 60_000);
    await serves('v4');
  }, 120_000);

  it('fails before anything starts if the subnet belongs to another project', async () => {
    const other = await ensureProject(rig.service(), 'other');
    const refused = await rig.deployed(other, lan({ subnet: '172.28.0.0/16' }));
    expect([refused.status, refused.error?.code, refused.error?.message], JSON.stringify(refused)).toEqual([
      'failed',
      'subnet_taken',
      'the network lan wants the subnet 172.28.0.0/16, which another project or environment of this Mooring uses',
    ]);
    expect(await rig.containers(other)).toEqual([]);
    const elsewhere = await rig.deployed(other, lan({ subnet: '172.28.6.0/24', address: '172.28.6.10' }));
    expect(elsewhere.status, JSON.stringify(elsewhere)).toBe('ready');
  }, 120_000);

  it('moves to another subnet, and not to a changed network with the same one', async () => {
    const changed = await rig.deployed(project, lan({ version: 'v5', network: 'internal: true, ' }));
    expect([changed.status, changed.error?.code], JSON.stringify(changed)).toEqual(['failed', 'subnet_taken']);
    await serves('v4');
    const there = { address: '172.29.7.10', subnet: '172.29.7.0/24' };
    const moved = await rig.deployed(project, lan({ version: 'v6', ...there }));
    expect(moved.status, JSON.stringify(moved)).toBe('ready');
    await serves('v6');
  }, 180_000);
});
