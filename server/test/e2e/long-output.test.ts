import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { begin, ensureProject, events, get, json, nodeApp } from '../rig/deploy.ts';
import { startService } from '../rig/service.ts';

const lines = 50_000;
const printing = `node -e "for (let i = 0; i < ${lines}; i++) console.log('line ' + i + ' of a long build, ${'x'.repeat(60)}')"`;

it('responds to API requests while a build with large secrets prints 50,000 lines', { timeout: 120_000 }, async () => {
  const service = await startService({ env: { MOORING_REQUEST_LIMIT: '0' } });
  const latency = async () => {
    const began = performance.now();
    expect((await service.get('/api/me')).status).toBe(200);
    return performance.now() - began;
  };
  const project = await ensureProject(service, 'long');
  const large = Array.from({ length: 30 }, (_, i) => [`LARGE_${i}`, randomBytes(15_000).toString('hex')]);
  const ordinary = Array.from({ length: 20 }, (_, i) => [`KEY_${i}`, randomBytes(24).toString('base64url')]);
  const variables = Object.fromEntries([...large, ...ordinary].map(([key, value]) => [key!, { value, secret: true }]));
  const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ variables });
  await json(fetch(`${service.url}/api/projects/${project}/variables`, { method: 'PATCH', headers, body }));

  await latency();
  const idle: number[] = [];
  for (let i = 0; i < 20; i++) idle.push(await latency());
  const id = await begin(service, project, nodeApp('1', '', { build: printing }));
  const during: number[] = [];
  while (['queued', 'building'].includes((await get(service, id)).status)) during.push(await latency());

  const logged = (await events(service, id)).filter(({ event }) => event === 'log');
  expect(logged.length).toBeGreaterThan(lines);
  expect(during.length).toBeGreaterThan(5);
  expect(Math.max(...during), `idle: at most ${Math.max(...idle)} ms`).toBeLessThan(3000 + 20 * Math.max(...idle));
  await service.stop();
});
