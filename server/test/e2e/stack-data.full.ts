import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { changes, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const program = (file: string) =>
  `require('http').createServer((q, s) => { const fs = require('fs'); if (q.method === 'POST' || q.url.startsWith('/write')) fs.appendFileSync('${file}', 'x'); s.end(fs.existsSync('${file}') ? fs.readFileSync('${file}', 'utf8').trim() : 'nothing'); }).listen(3000); process.on('SIGTERM', () => process.exit())`;

type Options = {
  config?: string;
  own?: string;
  note?: string;
  /** The last of them crashes. */
  broken?: boolean;
  upload?: string;
  reader?: string;
};

/** One service with a file of the source, one with a writable folder of it, one with a volume. */
const source = ({
  config = 'one',
  own = 'seed',
  note = '',
  broken = false,
  upload = 'uploads',
  reader = program('/etc/app.conf'),
}: Options = {}): string =>
  folderOf({
    'compose.yaml': `services:
  reader:
    image: ${node.name}
    command: ["node", "-e", "${reader}"]
    volumes: ["./conf/app.conf:/etc/app.conf:ro"]
    ports: ["3000"]
  writer:
    image: ${node.name}
    command: ["node", "-e", "${program('/files/own')}"]
    environment: { NOTE: "${note}" }
    volumes: ["./files:/files"]
    ports: ["3000"]
  keeper:
    image: ${node.name}
    command: ["node", "-e", "${program('/keep/data')}"]
    environment: { NOTE: "${note}" }
    volumes: ["${upload}:/keep"]
    ports: ["3000"]
  last:
    image: ${node.name}
    command: ["node", "-e", "${broken ? 'process.exit(1)' : 'setInterval(() => {}, 1000)'}"]
volumes:
  uploads:
  others:
`,
    'conf/app.conf': config,
    'files/own': own,
    'files/more': 'more',
  });

describe.runIf(has('docker'))('data of several services', () => {
  let rig: StackStage;
  let project: string;
  const urls: Record<string, string> = {};
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop', { publicEndpoints: [] });
    const first = await rig.deployed(project, source());
    expect(first.error, JSON.stringify(first)).toBeNull();
    for (const name of ['reader', 'writer', 'keeper'])
      urls[name] =
        first.urls.find((each) => each.includes(`//${name}.`)) ?? first.urls.find((each) => !each.includes('.shop'))!;
  }, 180_000);
  afterAll(() => rig?.close(), 120_000);
  const read = async (name: string, path = '/') => (await ask(urls[name]!, path)).body;

  it('survives replacement, rollback and reject', async () => {
    expect([await read('writer'), await read('keeper')]).toEqual(['seed', 'nothing']);
    expect([await read('writer', '/write'), await read('keeper', '/write')]).toEqual(['seedx', 'x']);
    const second = await rig.deployed(project, source({ note: 'two' }));
    expect(changes(second)).toEqual({ reader: 'unchanged', writer: 'replace', keeper: 'replace', last: 'unchanged' });
    expect([await read('writer', '/write'), await read('keeper', '/write')]).toEqual(['seedxx', 'xx']);
    const half = await rig.deployed(project, source({ note: 'three', broken: true }));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ writer: 'ready', keeper: 'ready', last: 'failed' });
    expect([await read('writer', '/write'), await read('keeper', '/write')]).toEqual(['seedxxx', 'xxx']);
    await rig.done(half.id, 'reject');
    expect([await read('writer', '/write'), await read('keeper', '/write')]).toEqual(['seedxxxx', 'xxxx']);
    const first = (
      await json<{ data: { id: string; status: string }[] }>(rig.service().get(`/api/deployments?projectId=${project}`))
    ).data.at(-1)!;
    const { deployment_id } = await json<{ deployment_id: string }>(rig.act(first.id, 'rollback'));
    expect((await rig.settled(deployment_id)).status).toBe('ready');
    expect([await read('writer'), await read('keeper')]).toEqual(['seedxxxx', 'xxxx']);
  }, 240_000);

  it('changes with a file of the source only for the service that mounts it', async () => {
    await atRest(rig.service().dataDir);
    const before = await rig.running(project);
    const next = await rig.deployed(project, source({ config: 'two' }));
    expect(changes(next)).toEqual({ reader: 'replace', writer: 'unchanged', keeper: 'unchanged', last: 'unchanged' });
    expect(await read('reader')).toBe('two');
    await atRest(rig.service().dataDir);
    const now = await rig.running(project);
    expect(now).toEqual({ ...before, reader: now['reader'] });
  }, 120_000);

  it('stays unchanged for a service in its previous version, even if its container is recreated', async () => {
    const half = await rig.deployed(project, source({ config: 'three', note: 'four', broken: true }));
    expect(statuses(half)).toMatchObject({ reader: 'ready', last: 'failed' });
    await rig.done(half.id, 'reject');
    expect(await read('reader')).toBe('two');
    const again = await rig.deployed(project, source({ config: 'bad', note: 'five', reader: 'process.exit(1)' }));
    expect(statuses(again), JSON.stringify(again)).toMatchObject({ reader: 'failed', writer: 'ready' });
    await rig.done(again.id, 'keep');
    expect(await read('reader')).toBe('two');
    const { reader } = await rig.running(project);
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${reader!}`, query: { force: true } });
    await until('it is back', async () => (await read('reader')) === 'two', 40_000);
  }, 180_000);

  it('prompts before a change would leave it behind', async () => {
    const id = await begin(rig.service(), project, source({ upload: 'others' }));
    type Build = { data: { prompt: { question: string } | null } };
    const asked = await until(
      'it asks',
      async () => {
        const { data } = await json<Build>(rig.service().get(`/api/deployments/${id}/build`));
        return data.prompt?.question;
      },
      60_000,
    );
    expect(asked).toContain('the volume others at /keep in place of the volume uploads');
    await json(rig.act(id, 'build/respond', { response: 'cancel' }));
    const over = await rig.settled(id);
    expect([over.status, over.error?.code]).toEqual(['failed', 'not_approved']);
    expect(await read('keeper')).toBe('xxxx');
  }, 120_000);
});
