import { describe, expect, it } from 'vitest';
import { ask, askAllTheTime, deploy, ensureProject, folderOf, json } from './deploy.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

/** Responds with its version; `/who` identifies the replica. */
export const replicaApp = (version: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': `
const who = require('node:crypto').randomUUID();
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/crash') process.exit(3);
  response.end(request.url === '/who' ? who : ${JSON.stringify(version)});
});
server.listen(process.env.PORT, process.env.HOST, () => console.log('listening as ' + who));
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

type Container = { id: string; replica: number; state: string };

/** Tests of replicas for every runtime. */
export function replicasContract(
  runtime: string,
  of: () => {
    service: Service;
    /** The address of the edge. */
    address?: string;
    /** Additional fields of the project. */
    project?: object;
    /** Whether the usage of all replicas is known; it is by default. */
    hasUsage?: boolean;
  },
): void {
  describe(`replicas of an app: ${runtime}`, () => {
    const containers = async (id: string) =>
      (await json<{ data: { containers: Container[] } }>(of().service.get(`/api/deployments/${id}/info`))).data
        .containers;
    const scale = (project: string, body: object) => of().service.post(`/api/projects/${project}/scale`, body);
    const asked = (url: string, path?: string, method?: string) => ask(url, path, method, of().address);
    const whoAt = async (url: string) =>
      new Set(await Promise.all(Array.from({ length: 24 }, async () => (await asked(url, '/who')).body)));

    it('share the requests; redeploying, scaling and a crash lose none', async () => {
      const { service, project: fields } = of();
      const project = await ensureProject(service, `replicas ${runtime}`, { replicas: 3, ...fields });
      const first = await deploy(service, project, replicaApp('v1'));
      expect(first.error).toBeNull();
      const [url = ''] = first.urls;
      expect((await containers(first.id)).map(({ replica }) => replica)).toEqual([1, 2, 3]);
      expect((await whoAt(url)).size).toBe(3);
      const asking = askAllTheTime(url, 4, of().address);
      const second = await deploy(service, project, replicaApp('v2'));
      expect(second.error).toBeNull();
      expect((await whoAt(url)).size).toBe(3);

      expect((await scale(project, { replicas: 5 })).status).toBe(202);
      await until('five answer', async () => (await whoAt(url)).size === 5, 60_000);
      expect((await scale(project, { replicas: 2 })).status).toBe(202);
      await until('two are left', async () => (await containers(second.id)).length === 2, 60_000);
      expect((await whoAt(url)).size).toBe(2);
      expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);

      const after = askAllTheTime(url, 4, of().address);
      // Sent only once: a retry would crash the other replica, too.
      await asked(url, '/crash', 'POST').catch(() => undefined);
      await until('the one that crashed is back', async () => (await whoAt(url)).size === 2, 30_000);
      expect([...(await after.stop()).keys()]).toEqual(['200 v2']);

      const third = await deploy(service, project, replicaApp('v3'));
      expect((await containers(third.id)).map(({ replica }) => replica)).toEqual([1, 2]);
      type Log = { data: { replica: number | null; line: string }[] };
      const { data } = await json<Log>(service.get(`/api/deployments/${third.id}/logs?kind=runtime`));
      expect(new Set(data.map(({ replica }) => replica))).toEqual(new Set([1, 2]));
      if (of().hasUsage === false) return;
      type Usage = { data: { containers: { replica: number; memoryBytes: number }[] } };
      const usage = await json<Usage>(service.get(`/api/deployments/${third.id}/usage`));
      expect(usage.data.containers.map(({ replica }) => replica)).toEqual([1, 2]);
    }, 240_000);

    it('are refused where there can be only one', async () => {
      const { service, project: fields } = of();
      const project = await ensureProject(service, `one ${runtime}`, fields);
      const field = async (body: object) =>
        ((await (await scale(project, body)).json()) as { details?: { field: string }[] }).details?.[0]?.field;
      for (const replicas of [0, 51, 1.5]) expect(await field({ replicas })).toBe('replicas');
      await json(service.post(`/api/projects/${project}/volumes`, { name: 'data', path: 'data' }));
      expect(await deploy(service, project, replicaApp('v1'))).toMatchObject({ error: null });
      expect(await field({ replicas: 2 })).toBe('replicas');
      expect(await field({ replicas: 2, service: 'other' })).toBe('service');
    }, 60_000);
  });
}
