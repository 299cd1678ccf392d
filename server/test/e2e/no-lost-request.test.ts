import { expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { deploy, ended, json } from '../rig/deploy.ts';
import { startGitServer } from '../rig/git-server.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { holdIn, stagedProject } from '../rig/phases.ts';
import { startService } from '../rig/service.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

// The full version with every phase is no-lost-request.full.ts.
it('clients notice nothing of a redeploy, a rollback and a cancel, whatever they have open', async () => {
  const [service, git] = await Promise.all([startService({ env: { MOORING_LOG_LEVEL: 'warn' } }), startGitServer()]);
  const act = (id: string, action: string) => service.post(`/api/deployments/${id}/${action}`, {});
  const projectId = await stagedProject(service, git);
  const first = await deploy(service, projectId, busyApp('v1'));
  const url = first.urls[0]!;
  const visitors = startVisitors(url, 'v1', smallCrowd);
  const serves = async (version: string) => {
    const { release } = await visit(url, '/', { agent: false });
    expect(release.split(' ')[0]).toBe(version);
    visitors.expect(release);
  };
  visitors.allow('v2');
  expect((await deploy(service, projectId, busyApp('v2'))).error).toBeNull();
  await serves('v2');
  const { id } = await holdIn('check', { service, projectId, git, url }, 'never');
  await json(act(id, 'cancel'));
  expect((await ended(service, id)).status).toBe('cancelled');
  const { deployment_id } = await json<{ deployment_id: string }>(act(first.id, 'rollback'));
  expect((await ended(service, deployment_id)).error).toBeNull();
  await serves('v1');
  const { failures, requests } = await visitors.stop();
  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(300);
  await atRest(service.dataDir);
  expect(leftovers(service.dataDir)).toEqual([]);
  await service.stop();
  await git.stop();
});
