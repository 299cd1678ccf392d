import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, ensureProject } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { edgeOf } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackStage, startStackStage } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

/** Shares the web server's network, and reaches the API by its name there. */
const sidecar = `  side:
    image: ${node.name}
    network_mode: service:web
    command: ["node", "-e", "require('http').createServer(async (q, s) => s.end('side ' + await fetch('http://api:3000/').then((r) => r.text(), (e) => 'broken ' + e.cause?.code))).listen(3001, '127.0.0.1'); process.on('SIGTERM', () => process.exit())"]`;
const web = `const http = require('node:http');
http.createServer((q, s) => http.get('http://127.0.0.1:3001/', { agent: false }, (a) => { let text = ''; a.on('data', (each) => text += each); a.on('end', () => s.end('web ' + text)); }).on('error', (e) => s.end('web without its side: ' + e.code))).listen(3000);
process.on('SIGTERM', () => process.exit());`;

describe.runIf(has('docker'))('failures with several services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, shop({ rest: sidecar, files: { 'web/server.js': web } }));
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls[0]!;
    await comesBack('after the deployment', async () => {});
  }, 240_000);
  afterAll(() => rig?.close(), 120_000);

  const remove = (id: string) =>
    rig.docker.client.json({ method: 'DELETE', path: `/containers/${id}`, query: { force: true } });
  async function comesBack(what: string, trouble: () => Promise<void>): Promise<void> {
    await trouble();
    const began = performance.now();
    await until(
      'all of them answer again',
      async () => {
        const { body } = await ask(url);
        if (!/^web side api v\d+ . 200 db v1 \d+$/.test(body)) throw new Error(body);
        return true;
      },
      60_000,
    ).catch((error: Error) => {
      throw error.cause ?? error;
    });
    sayFigures(what, { ms: Math.round(performance.now() - began) });
    await untilTidy(rig.docker, rig.service().dataDir);
  }

  it.each(['api', 'db', 'worker', 'web', 'side'])(
    'are restored with names and routes when the container of %s is removed',
    async (name) => {
      const id = (await rig.running(project))[name]!;
      await comesBack(`docker rm -f of ${name}`, () => remove(id).then(() => undefined));
      expect((await rig.running(project))[name]).not.toBe(id);
    },
    120_000,
  );

  it('can be replaced normally afterwards', async () => {
    const next = await rig.deployed(
      project,
      shop({ api: 'v2', web: 'v2', rest: sidecar, files: { 'web/server.js': `${web}\n// v2` } }),
    );
    expect(next.error, JSON.stringify(next)).toBeNull();
    expect(next.services.find(({ name }) => name === 'side')).toMatchObject({ change: 'replace', status: 'ready' });
    await comesBack('after a deployment', async () => {});
    expect((await ask(url)).body).toContain('api v2');
  }, 120_000);

  it('are restored when all of their containers are gone at once', async () => {
    await comesBack('docker rm -f of all', async () => {
      for (const id of Object.values(await rig.running(project))) await remove(id);
    });
  }, 120_000);

  it('are restored with the engine, however it ended', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const)
      await comesBack(`the engine ended by ${signal}`, async () => {
        await rig.docker.stop(signal);
        await rig.docker.start();
      });
  }, 180_000);

  it('are reachable again after a kill of the edge, or of the service without the edge', async () => {
    await comesBack('the edge killed', async () => {
      process.kill(edgeOf(rig.service().dataDir), 'SIGKILL');
      await until('it is gone', async () => !(await ask(url).catch(() => undefined)));
    });
    await comesBack('the edge and the service killed', async () => {
      process.kill(edgeOf(rig.service().dataDir), 'SIGKILL');
      await rig.killable.kill();
      await rig.killable.start();
    });
  }, 180_000);

  it('are restored while a decision is pending, and can still be rejected', async () => {
    const broken = { rest: sidecar, files: { 'web/server.js': `${web}\n// v2` }, apiProgram: 'process.exit(1)' };
    const half = await rig.deployed(project, shop({ worker: 'v2', api: 'v3', ...broken }));
    expect(half.status, JSON.stringify(half)).toBe('partial_failure');
    const { api, worker } = await rig.running(project);
    await comesBack('half of it removed', async () => {
      for (const id of [api!, worker!]) await remove(id);
    });
    const rejected = await rig.done(half.id, 'reject');
    expect(rejected.status).toBe('rejected');
    await comesBack('after the reject', async () => {});
    expect((await ask(url)).body).toContain('api v2');
  }, 180_000);
});
