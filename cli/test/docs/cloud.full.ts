import { afterAll, beforeAll, describe } from 'vitest';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { ended, ensureProject, json, nodeApp } from '../../../server/test/rig/deploy.ts';
import { type DockerService, startDockerService } from '../../../server/test/rig/docker-service.ts';
import { type GitServer, startGitServer } from '../../../server/test/rig/git-server.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { type Service, startService } from '../../../server/test/rig/service.ts';
import { runPage } from './page.ts';

describe.runIf(has('docker'))('a linked cloud', () => {
  let cloud: DockerService;
  let home: Service;
  let git: GitServer;
  beforeAll(async () => {
    git = await startGitServer();
    git.push('shop', nodeApp('v1'), 'One');
    cloud = await startDockerService({ MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all' });
    home = await startService();
    const project = await ensureProject(home, 'shop', { source: { type: 'git', url: git.url('shop') } });
    const { data } = await json<{ data: { id: string } }>(home.post('/api/deployments', { projectId: project }));
    await ended(home, data.id);
  }, 240_000);
  afterAll(async () => {
    await home?.stop();
    await cloud?.close();
    await git?.stop();
  });

  runPage('guides/cloud.md', () => ({
    values: [['https://cloud.example.com', cloud.service.url]],
    env: { MOORING_URL: home.url, MOORING_TOKEN: ownerToken },
    typed: { 'mooring cloud link https://cloud.example.com': [ownerToken] },
  }));
});
