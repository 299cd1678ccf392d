import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, askAllTheTime, begin, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';

const deployments = 20;
const rollbacks = 3;

/** Stores the body of `/put?name` and returns the digest of every file at `/sums`. */
const keeper = (version: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'keeper', version: '1.0.0', scripts: { start: 'node server.js' } }),
    'server.js': `
const { createHash } = require('node:crypto');
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  const [path, query = ''] = request.url.split('?');
  if (path === '/put') writeFileSync('data/' + query.split('=')[0], Buffer.from(query.split('=')[1], 'hex'));
  if (path !== '/sums') return response.end(${JSON.stringify(version)});
  const sum = (name) => [name, createHash('sha256').update(readFileSync('data/' + name)).digest('hex')];
  response.end(JSON.stringify(Object.fromEntries(readdirSync('data').map(sum))));
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

const kinds = [{ kind: 'process' }, ...(has('docker') ? [{ kind: 'docker' }] : [])];

describe.each(kinds)('a volume, $kind', ({ kind }) => {
  it(`keeps every byte through ${deployments} deployments and ${rollbacks} rollbacks, each with a kill -9`, async () => {
    let docker: Docker | undefined;
    let service: Service | undefined;
    try {
      const dataDir = newFolder('data');
      if (kind === 'docker') {
        docker = await startDocker();
        await makeImage(docker.client, nodeBase());
      }
      const start = () =>
        startService({ dataDir, env: { MOORING_LOG_LEVEL: 'warn', ...(docker ? onEngine(docker) : {}) } });
      service = await start();
      const project = await ensureProject(service, 'keeper');
      await json(service.post(`/api/projects/${project}/volumes`, { name: 'data', path: 'data' }));
      const finished = async (id: string) =>
        expect(await ended(service!, id, 90_000)).toMatchObject({ status: 'ready' });
      const first = await begin(service, project, keeper('v0'));
      const { urls } = await ended(service, first, 90_000);
      const [url = ''] = urls;
      const written: Record<string, string> = {};
      const write = async (name: string) => {
        const bytes = randomBytes(2000);
        expect((await ask(url, `/put?${name}=${bytes.toString('hex')}`)).status).toBe(200);
        written[name] = createHash('sha256').update(bytes).digest('hex');
      };
      const requireAll = async (when: string) =>
        expect([when, JSON.parse((await ask(url, '/sums')).body)]).toEqual([when, written]);
      const killedAt = async (id: string, moment: number) => {
        await sleep(moment);
        await service!.stop('SIGKILL');
        service = await start();
        await finished(id);
      };
      await write('first');
      // From the build to the stop of the previous release: later kills find the deployment done.
      const span = docker ? 8000 : 6000;
      const asking = askAllTheTime(url, 2);
      for (let i = 1; i <= deployments; i++) {
        await killedAt(await begin(service, project, keeper(`v${i}`)), Math.round((span * i) / deployments));
        await requireAll(`deployment ${i}`);
        await write(`file-${i}`);
        if (docker && i === deployments / 2) {
          await asking.stop();
          await docker.stop('SIGKILL');
          await docker.start();
          await expect.poll(() => ask(url).then(({ body }) => body), { timeout: 60_000 }).toBe(`v${i}`);
          await requireAll('the restart of the engine');
        }
      }
      for (let i = 1; i <= rollbacks; i++) {
        const { data } = await json<{
          data: { id: string; status: string; active: boolean; rollbackOf: string | null }[];
        }>(service.get(`/api/deployments?projectId=${project}`));
        const target = data.find((each) => !each.active && each.status === 'ready')!;
        const back = await service.post(`/api/deployments/${target.id}/rollback`, {});
        await killedAt((await json<{ deployment_id: string }>(back)).deployment_id, i * 800);
        await requireAll(`rollback ${i}`);
        await write(`back-${i}`);
      }
      const answers = await asking.stop();
      expect([...answers.keys()].filter((answer) => !answer.startsWith('200 v'))).toEqual([]);
      const volumes = await json<{ data: object[] }>(service.get(`/api/projects/${project}/volumes`));
      expect(volumes.data).toMatchObject([{ name: 'data', inUse: true }]);
      const orphans = await json<{ data: object[] }>(service.get(`/api/projects/${project}/volumes?orphans=true`));
      expect(orphans.data).toEqual([]);
      if (docker) {
        const all = await docker.client.json<{ Volumes: object[] }>({ method: 'GET', path: '/volumes' });
        expect(all.Volumes).toHaveLength(1);
      } else expect(readdirSync(join(dataDir, 'volumes', project, 'production'))).toEqual(['data']);
    } finally {
      await service?.stop();
      await docker?.close();
    }
  }, 900_000);
});
