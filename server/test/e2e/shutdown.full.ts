import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, begin, deploy, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { follow } from '../rig/follower.ts';
import { newGate } from '../rig/gate.ts';
import { eventsIn, processesOf, stepsOf } from '../rig/inside.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** A client that has announced a body and does not send it. */
async function uploadThatHangs(service: Service): Promise<() => void> {
  type Session = { upload: { url: string; method: string; headers: Record<string, string> } };
  const { upload } = await json<Session>(service.post('/api/projects/folder/session', {}));
  const { method, headers } = upload;
  const sent = request(new URL(upload.url, service.url), {
    method,
    headers: { ...headers, 'content-length': '1000000' },
  });
  sent.on('error', () => {}).write('the beginning');
  return () => sent.destroy();
}

it('a stop takes less than five seconds in any state, and the next service resumes at once', async () => {
  const options = { dataDir: newFolder('data'), env: { MOORING_LOG_LEVEL: 'warn', PORT: String(await freePort()) } };
  const first = await startService(options);
  const projectId = await ensureProject(first, 'stubborn');
  const { urls } = await deploy(first, projectId, nodeApp('v1'));
  const gate = newGate();
  // A build that ignores SIGTERM.
  const build = `trap '' TERM; echo building; ${gate.wait}; echo built`;
  const id = await begin(first, projectId, nodeApp('v2', '', { build }));
  const building = () => processesOf(options.dataDir).filter(({ what }) => what === 'command').length;
  await until(
    'it builds',
    () => building() > 0 && stepsOf(options.dataDir, id).some(({ status }) => status === 'running'),
  );
  const followers = Array.from({ length: 30 }, () => follow(first.url, id));
  const letGo = await uploadThatHangs(first);
  await until('all follow', () => followers.every(({ seen }) => seen.length > 3));
  await sleep(500);
  const began = Date.now();
  expect(await first.stop('SIGTERM')).toBe(0);
  const stoppedAfter = Date.now() - began;
  expect(stoppedAfter).toBeLessThan(5000);
  expect(building(), 'its commands ended with it').toBe(0);
  expect((await ask(urls[0]!)).body).toBe('v1');
  gate.open();
  const second = await startService(options);
  expect((await ended(second, id)).error).toBeNull();
  expect((await ask(urls[0]!)).body).toBe('v2');
  const numbers = eventsIn(options.dataDir, id).map(({ seq }) => seq);
  for (const { ended: over } of followers) expect((await over).map((event) => event.id)).toEqual(numbers);
  letGo();
  await second.stop();
});
