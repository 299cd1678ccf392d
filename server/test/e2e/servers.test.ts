import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ended, ensureProject, events, json, nodeApp } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase } from '../rig/docker-service.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';

describe.runIf(has('docker') && has('sshd'))('deployments to a server', () => {
  let server: ManagedServer;
  let service: Service;
  let serverId: string;
  beforeAll(async () => {
    server = await startManagedServer();
    await makeImage(server.docker.client, nodeBase());
    // Processes here, containers there.
    service = await startService({ env: { MOORING_START_TIMEOUT: '15', MOORING_RUNTIME: 'process' } });
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    serverId = (await json<{ data: { id: string } }>(service.post('/api/servers', body))).data.id;
  });
  afterAll(async () => {
    await service?.stop();
    await server?.close();
  });

  type Listed = { State: string; Labels: Record<string, string> };
  const running = async () =>
    (await server.docker.client.json<Listed[]>({ method: 'GET', path: '/containers/json' })).map(
      ({ Labels }) => Labels['mooring.deployment'],
    );

  /** The response of the server's edge under a name. */
  const answer = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const call = request({ host: server.address, port: 8080, headers: { host } }, (response) => {
        text(response).then(resolve, reject);
      });
      call.once('error', reject).end();
    });

  it('build there, run there, and roll back', async () => {
    const project = await ensureProject(service, 'web');
    const first = await deploy(service, project, nodeApp('v1'), { deployTarget: 'server', serverId });
    expect(first).toMatchObject({ status: 'ready', error: null, serverId, deployTarget: 'server' });
    expect(first.urls).toEqual(['http://web.apps.example.com:8080']);
    expect(await answer('web.apps.example.com')).toBe('v1');
    expect(await running()).toContain(first.id);
    const second = await deploy(service, project, nodeApp('v2'));
    expect(second).toMatchObject({ status: 'ready', serverId });
    expect(await answer('web.apps.example.com')).toBe('v2');
    const { deployment_id } = await json<{ deployment_id: string }>(
      service.post(`/api/deployments/${first.id}/rollback`, {}),
    );
    expect(await ended(service, deployment_id)).toMatchObject({ status: 'ready', serverId, rollbackOf: first.id });
    const lines = (await events(service, first.id)).map(({ data }) => data['line']);
    expect(lines).toContainEqual(expect.stringMatching(/COPY/));
    const info = await json<{ data: { containers: { state: string }[] } }>(
      service.get(`/api/deployments/${deployment_id}/info`),
    );
    expect(info.data.containers).toMatchObject([{ state: 'running' }]);
  });
});
