import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownerToken } from './app.ts';
import { ask, askAllTheTime, deploy, ended, ensureProject, folderOf, json } from './deploy.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** An app that appends a line to `data/lines` for each `/add` and shows them at `/lines`. The source contains
 * `data/seed`. */
const writer = (version: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'writer', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'data/seed': 'from the source',
    'server.js': `
const { appendFileSync, existsSync, readFileSync, mkdirSync } = require('node:fs');
const file = 'data/lines';
const server = require('node:http').createServer((request, response) => {
  if (request.url.startsWith('/add')) { mkdirSync('data', { recursive: true }); appendFileSync(file, request.url.slice(5) + '\\n'); }
  if (request.url === '/seed') return response.end(existsSync('data/seed') ? readFileSync('data/seed') : 'none');
  response.end(request.url === '/' ? ${JSON.stringify(version)} : existsSync(file) ? readFileSync(file) : '');
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

type Volume = {
  name: string;
  path: string;
  origin: string;
  inUse: boolean;
  pending: boolean;
  sizeBytes: number | null;
};

/** Tests of volumes for every runtime. */
export function volumesContract(runtime: string, of: () => { service: Service }): void {
  describe(`volumes of an app: ${runtime}`, () => {
    const volumes = async (project: string, query = '') =>
      (await json<{ data: Volume[] }>(of().service.get(`/api/projects/${project}/volumes${query}`))).data;
    const add = (project: string, body: object) => of().service.post(`/api/projects/${project}/volumes`, body);
    const remove = (project: string, query = '') =>
      json(
        fetch(`${of().service.url}/api/projects/${project}/volumes/data${query}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${ownerToken}` },
        }),
      );
    /** They are written once the previous release has stopped. */
    const warningsOf = async (id: string) => {
      let found = '';
      await until('there is a warning', async () => {
        const build = `/api/deployments/${id}/build`;
        const { data } = await json<{ data: { warnings: { message: string }[] } }>(of().service.get(build));
        return (found = data.warnings.map(({ message }) => message).join('\n')) !== '';
      });
      return found;
    };
    const linesAt = async (url: string) => (await ask(url, '/lines')).body.split('\n').filter(Boolean);

    it('outlive redeployments and rollbacks, without a lost request, and come back after their removal', async () => {
      const { service } = of();
      const project = await ensureProject(service, `writer ${runtime}`);
      const added = await add(project, { name: 'data', path: 'data' });
      expect(added.status).toBe(201);
      expect((await json<{ data: Volume }>(added)).data).toMatchObject({
        name: 'data',
        path: 'data',
        service: 'app',
        environment: 'production',
        origin: 'project',
        inUse: false,
        pending: true,
      });
      const first = await deploy(service, project, writer('v1'));
      expect(first.error).toBeNull();
      const [url = ''] = first.urls;
      expect((await ask(url, '/seed')).body).toBe('from the source');
      await ask(url, '/add?one');
      const asking = askAllTheTime(url, 2);
      const second = await deploy(service, project, writer('v2'));
      expect(second.error).toBeNull();
      expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
      await ask(url, '/add?two');
      expect(await linesAt(url)).toEqual(['one', 'two']);
      expect(await volumes(project)).toMatchObject([{ name: 'data', inUse: true, pending: false }]);
      const { deployment_id } = await json<{ deployment_id: string }>(
        service.post(`/api/deployments/${first.id}/rollback`, {}),
      );
      expect(await ended(service, deployment_id)).toMatchObject({ status: 'ready' });
      expect([(await ask(url)).body, await linesAt(url)]).toEqual(['v1', ['one', 'two']]);

      const files = `/api/projects/${project}/volumes/data`;
      const listed = await json<{ data: object[] }>(service.get(`${files}/files`));
      expect(listed.data).toMatchObject([
        { name: 'lines', type: 'file', sizeBytes: 8 },
        { name: 'seed', type: 'file' },
      ]);
      const file = await service.get(`${files}/file?path=lines`);
      expect([file.headers.get('content-length'), await file.text()]).toEqual(['8', 'one\ntwo\n']);
      expect((await service.get(`${files}/file?path=../../etc/passwd`)).status).toBe(400);
      expect((await service.get(`${files}/file?path=nothing`)).status).toBe(404);

      await remove(project);
      expect(await volumes(project)).toEqual([]);
      expect(await volumes(project, '?orphans=true')).toMatchObject([{ name: 'data', origin: 'project' }]);
      expect(await deploy(service, project, writer('v3'))).toMatchObject({ error: null });
      expect(await linesAt(url)).toEqual([]);
      expect((await add(project, { name: 'data', path: 'data' })).status).toBe(201);
      expect(await deploy(service, project, writer('v4'))).toMatchObject({ error: null });
      expect(await linesAt(url)).toEqual(['one', 'two']);

      await remove(project, '?data=delete');
      expect(await deploy(service, project, writer('v5'))).toMatchObject({ error: null });
      await expect.poll(() => volumes(project, '?orphans=true'), { timeout: 60_000, interval: 1000 }).toEqual([]);
    }, 240_000);

    it('are suggested for files that were lost, can be added to others, and each can be written to', async () => {
      const { service } = of();
      const project = await ensureProject(service, `second ${runtime}`);
      expect((await add(project, { name: 'other', path: 'other' })).status).toBe(201);
      const first = await deploy(service, project, writer('v1'));
      const [url = ''] = first.urls;
      await ask(url, '/add?lost');
      expect((await add(project, { name: 'data', path: 'data' })).status).toBe(201);
      const second = await deploy(service, project, writer('v2'));
      expect(await warningsOf(first.id)).toMatch(/^1 file \(lines\) under \S*data stayed behind when/);
      expect(await warningsOf(second.id)).toMatch(/^The previous release wrote 1 file \(lines\) under \S*data, which/);
      expect((await ask(url, '/add?kept')).status).toBe(200);
      expect(await deploy(service, project, writer('v3'))).toMatchObject({ error: null });
      expect(await linesAt(url)).toEqual(['kept']);
    }, 60_000);

    it('are declared in mooring.json', async () => {
      const { service } = of();
      const project = await ensureProject(service, `declared ${runtime}`);
      const folder = writer('v1');
      const file = join(folder, 'mooring.json');
      writeFileSync(file, '{"volumes": {"data": {"path": "../data"}}}');
      expect(await deploy(service, project, folder)).toMatchObject({ error: { code: 'bad_mooring_json' } });
      writeFileSync(file, '{"volumes": {"data": "./data"}}');
      const [url = ''] = (await deploy(service, project, folder)).urls;
      await ask(url, '/add?kept');
      expect(await deploy(service, project, folder)).toMatchObject({ error: null });
      expect(await linesAt(url)).toEqual(['kept']);
      expect(await volumes(project)).toMatchObject([{ name: 'data', path: 'data', inUse: true }]);
    }, 60_000);

    it('are refused where they cannot be mounted, by the name of the field', async () => {
      const project = await ensureProject(of().service, `refused ${runtime}`);
      const refusal = async (body: object) => {
        const { code, details } = (await (await add(project, body)).json()) as {
          code: string;
          details?: { field: string }[];
        };
        return [code, details?.[0]?.field];
      };
      expect((await add(project, { name: 'data', path: './data/' })).status).toBe(201);
      expect(await volumes(project)).toMatchObject([{ path: 'data' }]);
      expect(await refusal({ name: 'data', path: 'other' })).toEqual(['bad_request', 'name']);
      for (const path of ['data', 'data/inner', '.', '..', 'a/../b', '/', ''])
        expect([path, ...(await refusal({ name: 'more', path }))]).toEqual([path, 'bad_request', 'path']);
      expect(await refusal({ name: '../x', path: 'x' })).toEqual(['bad_request', 'name']);
      const absolute = await add(project, { name: 'absolute', path: '/srv/data' });
      expect(absolute.status).toBe(runtime === 'process' ? 400 : 201);
    });
  });
}
