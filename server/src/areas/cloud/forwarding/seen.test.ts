import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '../../../../test/rig/until.ts';
import { linkHomeToCloud, startCloudAndHome } from '../cloud-rig.ts';
import { ownerToken as token } from '../../../../test/rig/app.ts';

it('refreshes the list after a deployment was viewed', async () => {
  const two = await startCloudAndHome();
  const here = (method: string, path: string, body?: unknown) => two.home.call(method, path, { token, body });
  try {
    await linkHomeToCloud(two);
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const made = await here('POST', '/api/projects', { name: 'shop', source });
    const { id: projectId } = made.body['data'] as unknown as { id: string };
    const begin = { projectId, deployTarget: 'cloud', autoStart: false };
    const id = (await here('POST', '/api/deployments/build/access', begin)).body['deployment_id'] as unknown as string;
    two.home.cloud.start();
    const listed = async () =>
      ((await here('GET', '/api/deployments')).body['data'] as unknown as { status: string }[])[0]?.status;
    // The first round has finished and the next one is far away.
    await sleep(1000);
    expect(await listed()).toBe('queued');
    await two.cloud.call('POST', `/api/deployments/${id}/cancel`, { token, body: {} });
    expect((await here('GET', `/api/deployments/${id}`)).body['data']).toMatchObject({ status: 'cancelled' });
    await until('the list says so', async () => (await listed()) === 'cancelled', 2000);
  } finally {
    await two.close();
  }
});
