import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, type DeploymentJson, ended, json } from '../rig/deploy.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Project = { id: string; slug: string };

/** The data folder of a 0.1.0 service, as if moved to this machine. */
function dataOf010(): string {
  const folder = newFolder('data');
  const archive = join(import.meta.dirname, '../data-folders/0.1.0.tar.gz');
  execFileSync('tar', ['-C', folder, '-xzf', archive]);
  return folder;
}

describe('deployments of 0.1.0', () => {
  let service: Service;
  let docker: Docker | undefined;
  const dataDir = dataOf010();
  const start = async () => {
    service = await startService({ dataDir, env: docker ? onEngine(docker) : { MOORING_RUNTIME: 'process' } });
  };
  beforeAll(async () => {
    docker = has('docker') ? await startDocker() : undefined;
    if (docker) await makeImage(docker.client, nodeBase());
    await start();
  });
  afterAll(async () => {
    await service?.stop();
    await docker?.close();
  });

  const projectOf = async (slug: string) => {
    const { data } = await json<{ data: Project[] }>(service.get('/api/projects'));
    return data.find((project) => project.slug === slug)!.id;
  };
  const deploymentsOf = async (slug: string) => {
    const path = `/api/deployments?projectId=${await projectOf(slug)}`;
    return (await json<{ data: DeploymentJson[] }>(service.get(path))).data;
  };
  const act = async (id: string, action: string) => {
    const { deployment_id } = await json<{ deployment_id: string }>(
      service.post(`/api/deployments/${id}/${action}`, {}),
    );
    const deployment = await ended(service, deployment_id);
    expect(deployment.error).toBeNull();
    return deployment;
  };
  const serves = (slug: string, text: string) =>
    until(`${slug} serves ${text}`, async () => {
      const [url] = (await deploymentsOf(slug)).find(({ active }) => active)!.urls;
      return (await ask(url!)).body.includes(text);
    });

  it.each([
    ['app-2', 'v'],
    ['site', 'site v'],
  ])('%s serves, rolls back and is redeployed', async (slug, text) => {
    await serves(slug, `${text}2`);
    const [second, first] = await deploymentsOf(slug);
    await act(first!.id, 'rollback');
    await serves(slug, `${text}1`);
    await act(second!.id, 'redeploy');
    await serves(slug, `${text}2`);
    await act(first!.id, 'rollback');
    await serves(slug, `${text}1`);
  });

  it.runIf(has('docker'))('a stack without its images is redeployed', async () => {
    const [second] = await deploymentsOf('stack');
    await act(second!.id, 'redeploy');
    await serves('stack', 'web v2');
  });

  it('serve after a restart of the service', async () => {
    await service.stop('SIGTERM');
    await start();
    await serves('app-2', 'v1');
    await serves('site', 'site v1');
    if (docker) await serves('stack', 'web v2');
  });
});
