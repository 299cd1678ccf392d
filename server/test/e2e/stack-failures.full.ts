import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, ensureProject, folderOf } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { type Shop, shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const unhealthy = [
  'healthcheck: { test: ["CMD", "node", "-e", "process.exit(1)"], interval: 300ms, retries: 2, start_period: 0s }',
];
const idle = (name: string, more: string[]) =>
  [`  ${name}:`, `image: ${node.name}`, 'command: ["node", "-e", "setInterval(() => {}, 1000)"]', ...more].join(
    '\n    ',
  );
const waitsFor = (name: string, condition: string) => [
  'build: api',
  `depends_on: { ${name}: { condition: ${condition} } }`,
];

/** Each breaks the API or its dependency differently; the web server changes too and works. */
const breaks: { how: string; shop: Shop; says: RegExp; also?: Record<string, string>; api?: string }[] = [
  {
    how: 'a bad image name',
    shop: { lines: { api: ['image: nowhere.invalid/shop/api:7'] } },
    says: /nowhere\.invalid\/shop\/api/,
  },
  { how: 'a crash loop', shop: { apiProgram: 'console.error("no luck"); process.exit(3);' }, says: /code 3.*no luck/ },
  { how: 'a failing health check', shop: { more: { api: unhealthy } }, says: /its health check fails/ },
  {
    how: 'a dependency that never gets healthy',
    shop: { lines: { api: waitsFor('cache', 'service_healthy') }, rest: idle('cache', unhealthy) },
    says: /it needs cache, which failed/,
    also: { cache: 'failed' },
    api: 'skipped',
  },
  {
    how: 'a dependency that does not come to a good end',
    shop: {
      lines: { api: waitsFor('migrate', 'service_completed_successfully') },
      rest: `  migrate:\n    image: ${node.name}\n    command: ["node", "-e", "console.log('half way'); process.exit(4)"]`,
    },
    says: /it needs migrate, which failed/,
    also: { migrate: 'failed' },
    api: 'skipped',
  },
  {
    how: 'a build error',
    shop: { files: { 'api/Dockerfile': `FROM ${node.name}\nRUN echo cannot compile >&2; exit 9\n` } },
    says: /failed \(exit code 9\): cannot compile/,
  },
];

describe.runIf(has('docker'))('a failure of one of several services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let asking: ReturnType<typeof askAllTheTime>;
  let web = 1;
  const bodyOf = async () => (await ask(url)).body;
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, shop());
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls[0]!;
    asking = askAllTheTime(url, 3);
  }, 180_000);
  afterAll(async () => {
    await asking?.stop();
    await rig?.close();
  }, 120_000);

  it.each(breaks)(
    'by $how: it is rejected, and deployed again and kept',
    async ({ shop: broken, says, also = {}, api = 'failed' }) => {
      const before = await rig.running(project);
      const source = shop({ web: `v${web + 1}`, api: 'v9', ...broken });
      for (const decision of ['reject', 'keep'] as const) {
        const half = await rig.deployed(project, source);
        expect(half, JSON.stringify(half)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
        expect(statuses(half)).toEqual({ web: 'ready', api, worker: 'unchanged', db: 'unchanged', ...also });
        expect(half.services.find(({ name }) => name === 'api')!.error).toMatch(says);
        expect(await bodyOf()).toBe(`web v${web + 1} / 200 api v1 / 200 db v1 1`);
        const decided = await rig.done(half.id, decision);
        const end = decision === 'keep' ? ['ready', 'kept', true] : ['rejected', 'rejected', false];
        expect([decided.status, decided.decision, decided.active]).toEqual(end);
        if (decision === 'keep') web++;
        expect(await bodyOf()).toBe(`web v${web} / 200 api v1 / 200 db v1 1`);
        await untilTidy(rig.docker, rig.service().dataDir);
        const now = await rig.running(project);
        expect(now, 'the others run in the very same containers').toEqual(
          decision === 'keep' ? { ...before, web: now['web'] } : before,
        );
      }
    },
    240_000,
  );

  it('fails no client request', async () => {
    const answers = await asking.stop();
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !/^200 web v\d+ . 200 api/.test(each))).toEqual([]);
  });
});

const names = ['one', 'two', 'three', 'four', 'five'];

/** Five published, independent services, and one that blocks until its gate is opened. */
const five = (version: string, gate?: string, broken = false): string => {
  const held = `    healthcheck: { test: ["CMD-SHELL", "wget -q -O /dev/null ${gate}"], interval: 300ms, timeout: 3s, retries: 200 }`;
  const program = `require('http').createServer((q, s) => s.end('${version}')).listen(3000); process.on('SIGTERM', () => process.exit())`;
  const one = (name: string) =>
    `  ${name}:\n    image: ${node.name}\n    command: ["node", "-e", "${program}"]\n    ports: ["3000"]\n`;
  const last = broken
    ? 'process.exit(1)'
    : `setInterval(() => {}, 1000, '${version}'); process.on('SIGTERM', () => process.exit())`;
  return folderOf({
    'compose.yaml': `services:\n${names.map(one).join('')}  last:\n    image: ${node.name}\n    command: ["node", "-e", "${last}"]\n${gate ? held : ''}\n`,
  });
};

describe.runIf(has('docker'))('rolling back replaced services', () => {
  let rig: StackStage;
  let project: string;
  const deployed = async (folder: string, fields: object = {}) => {
    project = await ensureProject(rig.service(), 'many', fields);
    const over = await rig.deployed(project, folder);
    expect(over.error, JSON.stringify(over)).toBeNull();
    return over;
  };
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close(), 120_000);

  it('restores all concurrently after a cancel, and fails no client request', async () => {
    const first = await deployed(five('v1'));
    const before = await rig.running(project);
    const asking = first.urls.slice(0, 2).map((url) => askAllTheTime(url, 1));
    const gate = rig.gates.newGate();
    const id = await begin(rig.service(), project, five('v2', gate.at));
    const isReady = async () => Object.values(statuses(await rig.shown(id))).filter((each) => each === 'ready').length;
    await until('all but one are exchanged', async () => (await isReady()) === names.length, 60_000);
    const began = performance.now();
    await rig.done(id, 'cancel');
    const over = await rig.settled(id);
    sayFigures('cancel of five services that were exchanged', { ms: Math.round(performance.now() - began) });
    expect(over.status).toBe('cancelled');
    expect(statuses(over)).toMatchObject(Object.fromEntries(names.map((name) => [name, 'rolled_back'])));
    for (const url of first.urls) expect((await ask(url)).body).toBe('v1');
    const answers = await Promise.all(asking.map((each) => each.stop()));
    expect(answers.flatMap((each) => [...each.keys()]).filter((each) => !/^200 v[12]$/.test(each))).toEqual([]);
    await untilTidy(rig.docker, rig.service().dataDir);
    expect(await rig.running(project)).toEqual(before);
  }, 180_000);

  it("recreates a missing container with its former settings, not the project's current ones", async () => {
    const first = await deployed(five('v3'), { resources: { memoryMb: 200 } });
    await ensureProject(rig.service(), 'many', { resources: { memoryMb: 300 } });
    const half = await rig.deployed(project, five('v4', undefined, true));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ one: 'ready', last: 'failed' });
    const old = (await rig.containers(project)).find(
      (each) => each.deploymentId === first.id && each.service === 'one',
    )!;
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${old.id}`, query: { force: true } });
    expect((await rig.done(half.id, 'reject')).status).toBe('rejected');
    const { one } = await rig.running(project);
    expect(one).not.toBe(old.id);
    type Details = { HostConfig: { Memory: number } };
    const { HostConfig } = await rig.docker.client.json<Details>({ method: 'GET', path: `/containers/${one!}/json` });
    expect(HostConfig.Memory).toBe(200 * 2 ** 20);
  }, 180_000);
});
