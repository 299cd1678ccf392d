import { expect, it } from 'vitest';
import type { EngineClient } from '../engine/client.ts';
import type { OwnContainer } from '../own-containers.ts';
import { startScratch } from './scratch.ts';

it('gives a scratch container the capabilities of its service, so that images that start as root start', async () => {
  const bodies: unknown[] = [];
  const json = ({ method, path, body }: { method: string; path: string; body?: unknown }) => {
    if (path === '/containers/create') bodies.push(body);
    return Promise.resolve(method === 'GET' ? [] : { Id: 'c1' });
  };
  const capabilities = { CapDrop: ['ALL'], CapAdd: ['CHOWN', 'SETGID', 'SETUID'] };
  const container = { info: { Image: 'postgres', Config: {}, HostConfig: capabilities }, owner: {} };
  await startScratch(
    { json } as unknown as EngineClient,
    container as unknown as OwnContainer,
    { jobId: 'job_1', name: 'copy' },
    () => Promise.resolve(),
  );
  expect(bodies).toMatchObject([{ HostConfig: capabilities }]);
});
