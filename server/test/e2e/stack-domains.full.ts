import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAllTheTime, ensureProject, events, json } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';

describe.runIf(has('docker'))('domains of several services', () => {
  let rig: StackStage;
  let project: string;
  let port = 0;
  beforeAll(async () => {
    rig = await startStackStage({ MOORING_ACME_DIRECTORY: 'none' });
    project = await ensureProject(rig.service(), 'shop');
  }, 120_000);
  afterAll(() => rig?.close());

  const ask = (host: string, path = '/') =>
    new Promise<string>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (part: string) => (body += part));
        answer.once('end', () => resolve(answer.statusCode === 200 ? body : String(answer.statusCode)));
      });
      call.once('error', reject).end();
    });
  const add = (body: object) => json(rig.service().post(`/api/projects/${project}/domains`, body));

  it('have paths of one name, and their own names, from the first deployment on', async () => {
    const publicEndpoints = [
      { service: 'web', customDomain: 'shop.example.com' },
      { service: 'api', customDomain: 'shop.example.com', targetPath: '/api', port: 3000 },
    ];
    const first = await rig.deployed(project, shop(), { publicEndpoints });
    expect(first.error, JSON.stringify(first.services)).toBeNull();
    port = Number(new URL(first.urls[0]!).port);
    expect(first.urls[0]).toBe(`http://shop.example.com:${port}`);
    expect(await ask('shop.example.com')).toMatch(/^web v1/);
    expect(await ask('shop.example.com', '/api/x')).toMatch(/^api v1/);
    await add({ name: 'api.example.com', service: 'api' });
    await add({ name: 'www.example.com', redirectTo: 'shop.example.com' });
    expect(await ask('api.example.com')).toMatch(/^api v1/);
    expect(await ask('www.example.com')).toBe('308');
    await add({ name: 'gone.example.com', service: 'gone' });
    type Shown = { data: { name: string; action: { message: string | null } }[] };
    const { data } = await json<Shown>(rig.service().get(`/api/projects/${project}/domains`));
    const isUnanswered = (text: string | null) => text?.includes('is not served') === true;
    expect(data.filter(({ action }) => isUnanswered(action.message)).map(({ name }) => name)).toEqual([
      'gone.example.com',
    ]);
  });

  it('follow their services through a deployment and a rejected partial failure, without a lost request', async () => {
    const asking = [`http://shop.example.com:${port}`, `http://api.example.com:${port}`].map((url) =>
      askAllTheTime(url, 2),
    );
    const publicEndpoints = [
      { service: 'web', customDomain: 'shop.example.com' },
      { service: 'api', customDomain: 'shop.example.com', targetPath: '/api', port: 3000 },
    ];
    const second = await rig.deployed(project, shop({ web: 'v2', api: 'v2' }), { publicEndpoints });
    expect(second.status).toBe('ready');
    expect(await ask('api.example.com')).toMatch(/^api v2/);
    const lines = (await events(rig.service(), second.id)).map(({ data }) => String(data['line']));
    expect(lines).toContainEqual(expect.stringContaining('gone.example.com is not served: there is no service gone'));
    const crash = shop({ web: 'v3', api: 'v3', apiProgram: 'process.exit(3);' });
    const half = await rig.deployed(project, crash, { publicEndpoints });
    expect(statuses(half)).toMatchObject({ web: 'ready', api: 'failed' });
    expect(await ask('shop.example.com')).toContain('web v3');
    expect(await ask('shop.example.com', '/api')).toMatch(/^api v2/);
    // A domain that is added while a decision is pending responds after the next upkeep round.
    await rig.done(half.id, 'reject');
    expect(await ask('shop.example.com')).toContain('web v2');
    await add({ name: 'late.example.com' });
    expect(await ask('late.example.com')).toContain('web v2');
    for (const each of asking) {
      const answers = [...(await each.stop()).keys()];
      expect(answers.filter((answer) => !answer.startsWith('200 '))).toEqual([]);
    }
    expect((await rig.shown(second.id)).urls).toContain(`http://late.example.com:${port}`);
  }, 240_000);
});
