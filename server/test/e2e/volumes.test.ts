import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, deploy, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';
import { volumesContract } from '../rig/volumes.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

volumesContract('process', () => ({ service }));

it('a volume is added once the running release has stopped, not by the release command', async () => {
  const project = await ensureProject(service, 'same build', { releaseCommand: 'test ! -L data' });
  const first = await deploy(
    service,
    project,
    folderOf({
      'package.json': JSON.stringify({ name: 'app', version: '1.0.0', scripts: { start: 'node server.js' } }),
      'server.js': `
require('node:fs').mkdirSync('data', { recursive: true });
const { appendFileSync, lstatSync, openSync, readFileSync, writeSync } = require('node:fs');
const open = openSync('data/lines', 'a');
const server = require('node:http').createServer((request, response) => {
  appendFileSync('data/lines', request.url + ' ' + lstatSync('data').isSymbolicLink() + '\\n');
  response.end(readFileSync('data/lines'));
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => { writeSync(open, 'stopped\\n'); server.close(() => process.exit(0)); });`,
    }),
  );
  const [url = ''] = first.urls;
  await ask(url, '/before');
  await json(service.post(`/api/projects/${project}/volumes`, { name: 'data', path: 'data' }));
  const { deployment_id } = await json<{ deployment_id: string }>(
    service.post(`/api/deployments/${first.id}/redeploy`, { reuseArtifact: true }),
  );
  expect(await ended(service, deployment_id)).toMatchObject({ status: 'ready', error: null });
  const lines = (await ask(url, '/after')).body.split('\n');
  expect(lines).toEqual(expect.arrayContaining(['/before false', 'stopped', '/after true']));
}, 60_000);
