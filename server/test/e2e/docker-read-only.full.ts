import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ensureProject, nodeApp } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';

type Info = { HostConfig: { ReadonlyRootfs: boolean; Tmpfs: Record<string, string> | null } };

describe.runIf(has('docker'))('file system of an app in a container', () => {
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
  const release = async (project: string, folder: string) => {
    const { id, error, urls } = await deploy(rig.service, project, folder);
    expect(error).toBeNull();
    return { id, url: urls[0]!, readOnly: await isReadOnly(id) };
  };
  const rights = `const { accessSync, constants } = require('node:fs');
const may = (path) => { try { accessSync(path, constants.W_OK); return true } catch { return false } };
console.log('rights ' + JSON.stringify(['/tmp', '/home/runner', __dirname].map(may)));`;

  it('is writable by default', async () => {
    const writes = nodeApp('writes', `require('node:fs').writeFileSync('state.json', '{}');`);
    const { url, readOnly } = await release(await ensureProject(rig.service, 'writes'), writes);
    expect([readOnly, (await ask(url)).body]).toEqual([false, 'writes']);
  });

  it('is read-only if the project requires it, with the home in memory', async () => {
    const project = await ensureProject(rig.service, 'quiet', { resources: { readOnly: true } });
    const { id, url, readOnly } = await release(project, nodeApp('quiet', rights));
    expect([readOnly, (await ask(url)).body]).toEqual([true, 'quiet']);
    type Logs = { data: { line: string }[] };
    const logs = (await (await rig.service.get(`/api/deployments/${id}/logs?kind=runtime`)).json()) as Logs;
    expect(logs.data.map(({ line }) => line)).toContain('rights [true,true,false]');
  });

  it('names the setting when an app fails because of it', async () => {
    const project = await ensureProject(rig.service, 'refused', { resources: { readOnly: true } });
    const writes = nodeApp('refused', `require('node:fs').writeFileSync('state.json', '{}');`);
    const { error } = await deploy(rig.service, project, writes);
    expect(error).toMatchObject({ code: 'crashed', hint: expect.stringContaining('resources.readOnly') as string });
  });
});
