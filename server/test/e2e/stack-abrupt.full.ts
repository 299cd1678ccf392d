import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, askAllTheTime, ensureProject } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { backgroundDone } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { type Shop, shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';

/** A slow API that drops its open requests on SIGTERM: waiting callers get no response. */
const abrupt = ({ api = 'v1', files, ...rest }: Shop) =>
  shop({
    ...rest,
    more: { api: ['expose: ["3000"]'] },
    files: {
      'api/server.js': `require('node:http').createServer((_, response) => setTimeout(() => response.end('api ${api}'), 700)).listen(3000);
process.on('SIGTERM', () => process.exit(0));`,
      ...files,
    },
  });
const half = (version: string) =>
  abrupt({ web: version, api: version, files: { 'worker/Dockerfile': 'FROM node:24-slim\nRUN exit 9\n' } });

describe.runIf(has('docker'))('a service that exits immediately on SIGTERM', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let asking: ReturnType<typeof askAllTheTime>;
  const body = async () => (await ask(url)).body.slice(0, 'web v1 / 200 api v1'.length);
  const tidy = () => untilTidy(rig.docker, rig.service().dataDir);
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, abrupt({}));
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls[0]!;
    asking = askAllTheTime(url, 6);
  }, 180_000);
  afterAll(async () => {
    await asking?.stop();
    await rig?.close();
  }, 120_000);
  const pending = async (version: string) => {
    const shown = await rig.deployed(project, half(version));
    expect(statuses(shown), JSON.stringify(shown)).toMatchObject({ web: 'ready', api: 'ready', worker: 'failed' });
    expect(await body()).toBe(`web ${version} / 200 api ${version}`);
    return shown.id;
  };

  it('gets no more requests before it is replaced', async () => {
    expect((await rig.deployed(project, abrupt({ web: 'v2', api: 'v2' }))).status).toBe('ready');
    await tidy();
  }, 120_000);

  it('gets no more requests before a pending deployment is rejected', async () => {
    await rig.done(await pending('v3'), 'reject');
    expect(await body()).toBe('web v2 / 200 api v2');
    await tidy();
  }, 120_000);

  it('gets no more requests before it is deleted, repeatedly', async () => {
    for (const version of ['v4', 'v5', 'v6']) {
      const path = `/api/deployments/${await pending(version)}`;
      const headers = { authorization: `Bearer ${ownerToken}` };
      expect((await fetch(rig.service().url + path, { method: 'DELETE', headers })).status).toBe(200);
      await backgroundDone(rig.service().dataDir);
      expect(await body()).toBe('web v2 / 200 api v2');
    }
    await tidy();
  }, 180_000);

  it('has failed no request in the end', async () => {
    const answers = await asking.stop();
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !/^200 web v\d . 200 api v/.test(each))).toEqual([]);
  });
});
