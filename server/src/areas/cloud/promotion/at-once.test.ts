import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ownerToken as token } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { linkHomeToCloud, startCloudAndHome } from '../cloud-rig.ts';

const source = { type: 'git', url: 'https://git.example.com/a/b.git' };

describe.each(databaseKinds)('concurrent promotions on %s', (kind) => {
  it('with the same request are one, and exclude a local deployment', async () => {
    const two = await startCloudAndHome({}, kind);
    const here = (method: string, path: string, body?: unknown) => two.home.call(method, path, { token, body });
    await linkHomeToCloud(two);
    const { deployments } = two.cloud.deployments;
    const real = deployments.fromAccess.bind(deployments);
    // Long enough for all requests to arrive.
    deployments.fromAccess = async (...asked) => {
      await sleep(150);
      return real(...asked);
    };
    for (let i = 0; i < 3; i++) {
      const made = await here('POST', '/api/projects', { name: `at-once-${i}`, source });
      const { id: projectId } = made.body['data'] as unknown as { id: string };
      const deployment = { projectId, autoStart: false };
      const promote = () => here('POST', '/api/deployments/build/access', { ...deployment, deployTarget: 'cloud' });
      const answers = await Promise.all([
        promote(),
        promote(),
        promote(),
        here('POST', '/api/deployments', deployment),
      ]);
      const there = await two.cloud.call('GET', `/api/deployments?projectId=${projectId}`, { token });
      const local = await two.home.database.db
        .selectFrom('deployments')
        .select('id')
        .where('projectId', '=', projectId)
        .execute();
      const [mine, shown] = [local.length, (there.body['data'] as unknown as unknown[]).length];
      const statuses = answers.map(({ status }) => status);
      // Either way may win; the loser gets a 409.
      if (mine) expect([shown, statuses]).toEqual([0, [409, 409, 409, 202]]);
      else expect([shown, statuses]).toEqual([1, [200, 200, 200, 409]]);
    }
    await two.close();
  });
});
