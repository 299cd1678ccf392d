import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken as token, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { appOf, type Stack } from '../model/stack.ts';
import { requireFree } from './volume-rules.ts';

describe('scaling before the first deployment', () => {
  let app: TestApp;
  let path: string;
  beforeEach(async () => {
    app = await startApp('sqlite');
    const made = await app.call('POST', '/api/projects', { token, body: { name: 'shop' } });
    path = `/api/projects/${(made.body['data'] as unknown as { id: string }).id}/scale`;
  });
  afterEach(() => app.close());

  it('takes names of services up to a limit', async () => {
    const scale = (service?: string) => app.call('POST', path, { token, body: { service, replicas: 2 } });
    for (let i = 0; i < 100; i++) expect((await scale(`service-${i}`)).status).toBe(202);
    expect(await scale('one-more')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'service', message: expect.stringContaining('at most 100') as string }] },
    });
    expect((await scale('service-7')).status, 'a known one').toBe(202);
    expect((await scale()).status, 'the app').toBe(202);
  });
});

it('a volume is refused for as many replicas as are wanted now, not as the active release was made with', () => {
  const service = { name: 'app', replicas: 1, mounts: [] };
  const stack = { app: {}, project: { services: [service], volumes: [] } } as unknown as Stack;
  expect(appOf(stack).replicas).toBe(1);
  const row = { name: 'data', path: 'data', environment: 'production', service: null, overlap: false };
  const add = (replicas: number) => () =>
    requireFree(
      {
        project: { settings: { replicas, scale: {} } },
        rows: [],
        parts: {},
        engine: [],
        actives: new Map([['production', { stack, states: [] }]]),
      } as unknown as Parameters<typeof requireFree>[0],
      row as unknown as Parameters<typeof requireFree>[1],
    );
  expect(add(1)).not.toThrow();
  expect(add(3)).toThrow('3 replicas would write to it at once');
});
