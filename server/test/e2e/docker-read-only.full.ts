import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ensureProject, events, folderOf, nodeApp } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

type Info = { HostConfig: { ReadonlyRootfs: boolean; Tmpfs: Record<string, string> | null } };

// Calls that nobody finds by reading the source.
const hidden = `const call = (...parts) => require('node:fs')[parts.join('')];`;
const writesAtStart = `${hidden} call('write', 'FileSync')('state.json', '{}');`;
const writesAtStartAndHides = `${hidden} try { call('write', 'FileSync')('state.json', '{}') } catch { process.exit(3) }`;
const complains = `${hidden} try { call('write', 'FileSync')('state.json', '{}') } catch (error) { console.error(error.message) }`;
const onRequest = `${hidden}
require('node:http').createServer((request, response) => {
  if (request.url !== '/upload') return response.end('hello');
  try { call('mk', 'dirSync')('uploads', { recursive: true }); response.end('stored'); }
  catch (error) { console.error(error); response.writeHead(500).end('failed'); }
}).listen(process.env.PORT);`;

describe.runIf(has('docker'))('the file system of an app in a container', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService({ MOORING_START_TIMEOUT: '8' });
  });
  afterAll(() => rig?.close());

  const isReadOnly = async (deployment: string): Promise<boolean> => {
    const { client } = rig.docker;
    const query = { filters: { label: [`mooring.deployment=${deployment}`] } };
    const [container] = await client.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
    const { HostConfig } = await client.json<Info>({ method: 'GET', path: `/containers/${container!.Id}/json` });
    return HostConfig.ReadonlyRootfs;
  };
  const linesOf = async (id: string) =>
    (await events(rig.service, id)).map(({ data }) => String(data['line'])).filter(Boolean);
  const release = async (project: string, folder: string) => {
    const { id, error, urls } = await deploy(rig.service, project, folder);
    expect(error).toBeNull();
    return { id, url: urls[0]!, lines: await linesOf(id), readOnly: await isReadOnly(id) };
  };
  const written = 'it is started once more with one that it can';

  it('is read-only where nothing in the source writes, with memory for the home', async () => {
    const home = `const { accessSync, constants } = require('node:fs');
const may = (path) => { try { accessSync(path, constants.W_OK); return true } catch { return false } };
const rights = JSON.stringify(['/tmp', '/home/runner', __dirname].map(may));`;
    const project = await ensureProject(rig.service, 'quiet');
    const said = nodeApp('quiet', `${home}\nconsole.log('rights ' + rights);`);
    const { id, url, lines, readOnly } = await release(project, said);
    expect([readOnly, (await ask(url)).body]).toEqual([true, 'quiet']);
    expect(lines).toContainEqual(expect.stringContaining('its file system is read-only'));
    type Logs = { data: { line: string }[] };
    const logs = (await (await rig.service.get(`/api/deployments/${id}/logs?kind=runtime`)).json()) as Logs;
    expect(logs.data.map(({ line }) => line)).toContain('rights [true,true,false]');
  });

  it('is writable where the source says so, where there is a Dockerfile, and where the project says so', async () => {
    const seen = nodeApp('writes', `require('node:fs').writeFileSync('state.json', '{}');`);
    const bySource = await release(await ensureProject(rig.service, 'writes'), seen);
    expect(bySource.readOnly).toBe(false);
    expect(bySource.lines).toContain('Its file system can be written to: server.js has "writeFile"');
    const server = `require('node:http').createServer((_, r) => r.end('own')).listen(process.env.PORT)`;
    const Dockerfile = 'FROM node:22-slim\nCOPY server.js /\nUSER node\nCMD ["node", "/server.js"]\n';
    const own = await release(await ensureProject(rig.service, 'own'), folderOf({ Dockerfile, 'server.js': server }));
    expect(own.readOnly).toBe(false);
    const off = await ensureProject(rig.service, 'off', { resources: { readOnly: false } });
    expect((await release(off, nodeApp('off'))).readOnly).toBe(false);
  });

  it('where the project wants it read-only, it stays so, and the failure says why', async () => {
    const on = await ensureProject(rig.service, 'on', { resources: { readOnly: true } });
    const { id, error } = await deploy(rig.service, on, nodeApp('on', writesAtStart));
    expect(error).toMatchObject({ code: 'crashed', hint: expect.stringContaining('resources.readOnly') as string });
    expect((await linesOf(id)).join('\n')).not.toContain(written);
  });

  it.each([
    ['ends because of it', writesAtStart],
    ['ends because of it without a word', writesAtStartAndHides],
    ['only complains', complains],
  ])(
    'an app that writes at its start and %s gets one that it can write to, and so do its successors',
    async (how, more) => {
      const project = await ensureProject(rig.service, how.replaceAll(' ', '-'));
      const first = await release(project, nodeApp('v1', more));
      expect([first.readOnly, (await ask(first.url)).body]).toEqual([false, 'v1']);
      expect(first.lines.filter((line) => line.includes(written))).toHaveLength(1);
      const second = await release(project, nodeApp('v2', more));
      expect([second.readOnly, (await ask(second.url)).body]).toEqual([false, 'v2']);
      expect(second.lines).toContain('Its file system can be written to: the release before needed that');
      expect(second.lines.join('\n')).not.toContain(written);
    },
  );

  it('an app that is broken fails as it would otherwise', async () => {
    const project = await ensureProject(rig.service, 'broken');
    const { error } = await deploy(
      rig.service,
      project,
      nodeApp('v1', `console.error('no database'); process.exit(4);`),
    );
    expect(error).toMatchObject({ code: 'crashed', message: expect.stringContaining('exit code 4') as string });
    const silent = folderOf({
      'package.json': '{"scripts":{"start":"node server.js"}}',
      'server.js': 'setInterval(() => {}, 1000)',
    });
    const failed = (await deploy(rig.service, project, silent)).error;
    expect(failed).toMatchObject({
      code: 'check_failed',
      hint: expect.stringContaining('resources.readOnly') as string,
    });
  });

  it('an app that writes only later is given it then, and no other request is lost', async () => {
    const project = await ensureProject(rig.service, 'later');
    const scripts = '{"scripts":{"start":"node server.js"}}';
    const { id, url, readOnly } = await release(project, folderOf({ 'package.json': scripts, 'server.js': onRequest }));
    expect(readOnly).toBe(true);
    expect((await ask(url, '/upload')).status).toBe(500);
    const answers = new Set<string>();
    await until(
      'it can write',
      async () => {
        answers.add((await ask(url)).body);
        return !(await isReadOnly(id).catch(() => true));
      },
      40_000,
    );
    expect(await ask(url, '/upload')).toEqual({ status: 200, body: 'stored' });
    expect([...answers]).toEqual(['hello']);
  });
});
