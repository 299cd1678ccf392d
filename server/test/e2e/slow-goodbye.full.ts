import { expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { deploy, ensureProject } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { processesOf, stepsOf } from '../rig/inside.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { startService } from '../rig/service.ts';
import { openWebSocket } from '../rig/web-socket.ts';

it('replaced releases with open connections are stopped after the timeout, several concurrently', async () => {
  const service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
  const projectId = await ensureProject(service, 'crowded');
  const versions = ['v1', 'v2', 'v3', 'v4', 'v5'];
  const closed: Promise<unknown>[] = [];
  let last = '';
  for (const version of versions) {
    const { id, urls } = await deploy(service, projectId, busyApp(version));
    last = id;
    const client = await openWebSocket(urls[0]!);
    await client.echo('hello');
    if (version !== versions.at(-1)) closed.push(client.closed);
  }
  const began = Date.now();
  const running = () => processesOf(service.dataDir).filter(({ what }) => what === 'supervisor').length;
  expect(running(), 'all of them, as long as somebody is connected').toBe(versions.length);
  await Promise.all(closed);
  await atRest(service.dataDir, 90_000);
  sayFigures('four connections nobody closes', { stoppedAfterMs: Date.now() - began });
  expect(stepsOf(service.dataDir, last).map(({ status }) => status)).not.toContain('running');
  expect(leftovers(service.dataDir)).toEqual([]);
  expect(Date.now() - began).toBeLessThan(60_000);
  await service.stop();
}, 180_000);
