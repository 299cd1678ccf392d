import { expect, it } from 'vitest';
import { begin, ensureProject, folderOf, get, upload } from '../rig/deploy.ts';
import { startService } from '../rig/service.ts';

it('rejects a source with 120,000 workspace patterns quickly, and keeps responding to others', async () => {
  const service = await startService();
  const patterns = Array.from({ length: 20_000 }, (_, i) => `*${i % 10}*/*`);
  const workspaces = [...patterns, ...Array.from({ length: 100_000 }, () => '!x')];
  const apps = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}/app/package.json`, '{}']));
  const source = folderOf({ 'package.json': JSON.stringify({ workspaces }), ...apps });

  const scanned = await service.post('/api/projects/folder/scan', { sessionId: await upload(service, source) });
  expect([scanned.status, await scanned.json()]).toMatchObject([
    400,
    { error: 'workspaces of package.json has 120000 patterns; at most 1000 are supported' },
  ]);

  const project = await ensureProject(service, 'hostile');
  const id = await begin(service, project, source);
  const latencies: number[] = [];
  for (;;) {
    const began = performance.now();
    const deployment = await get(service, id);
    latencies.push(performance.now() - began);
    if (deployment.status !== 'failed') continue;
    expect(deployment.error).toMatchObject({
      code: 'not_detected',
      step: 'detect',
      message: 'workspaces of package.json has 120000 patterns; at most 1000 are supported',
    });
    break;
  }
  expect(Math.max(...latencies)).toBeLessThan(5000);
  await service.stop();
});
