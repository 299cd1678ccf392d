import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { newFolder } from '../rig/children.ts';
import { deploy, ensureProject } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { startVisitors, visit } from '../rig/visitors.ts';

it('a service killed during a restart delays clients no longer than the app takes', async () => {
  const options = { dataDir: newFolder('data'), env: { MOORING_LOG_LEVEL: 'warn' } };
  const first = await startService(options);
  const slow = `const until = Date.now() + 5000; while (Date.now() < until);`;
  const { id, urls } = await deploy(first, await ensureProject(first, 'cut'), busyApp('v1', { more: slow }));
  const url = urls[0]!;
  const { release: before } = await visit(url, '/', { agent: false });
  const visitors = startVisitors(url, 'v1', { fresh: 3, kept: 3, posts: 2, sockets: 0, downloads: 0 });
  const asked = first.post(`/api/deployments/${id}/restart`, {}).catch(() => 'cut');
  await sleep(1000);
  await first.stop('SIGKILL');
  expect(await asked).toBe('cut');
  const second = await startService(options);
  const { release: after } = await until('it answers', () => visit(url, '/', { agent: false }), 40_000);
  expect(Number(after.split(' ')[1])).toBeGreaterThan(Number(before.split(' ')[1]));
  const { requests, failures, longestMs } = await visitors.stop();
  sayFigures('killed in the middle of a restart', { requests, longestMs, failures });
  expect(failures).toEqual([]);
  // The app takes five seconds, the service some, and an unreleased hold would take thirty.
  expect(longestMs).toBeLessThan(20_000);
  await second.stop();
}, 120_000);
