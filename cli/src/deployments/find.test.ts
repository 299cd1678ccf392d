import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@mooring/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseBefore } from '../commands/deployments/release.ts';
import { activeRelease, type Deployment, findDeployment } from './find.ts';

const deployment = (id: string, more: Partial<Deployment> = {}) =>
  ({ id, environment: 'production', status: 'failed', active: false, rollbackOf: null, ...more }) as Deployment;

const all = [
  deployment('dep_other', { environment: 'staging', status: 'ready', active: true }),
  ...Array.from({ length: 130 }, (_, i) => deployment(`dep_failed${i}`)),
  deployment('dep_active', { status: 'ready', active: true }),
  deployment('dep_between'),
  deployment('dep_before', { status: 'ready' }),
];

/** Answers like the service: newest first, in pages. */
const service = createServer(({ url }, response) => {
  const { pathname, searchParams: query } = new URL(url!, 'http://service');
  const answer = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (pathname === '/api/projects') return answer(200, { data: [{ id: 'prj_1', name: 'Shop', slug: 'shop' }] });
  if (pathname !== '/api/deployments') {
    const data = all.find(({ id }) => pathname.endsWith(id));
    return data ? answer(200, { data }) : answer(404, { error: 'there is no such deployment', code: 'not_found' });
  }
  const fits = ({ environment, active }: Deployment) =>
    environment === (query.get('environment') ?? environment) && (active || query.get('active') !== 'true');
  const after = all.findIndex(({ id }) => id === query.get('cursor')) + 1;
  const rest = all.slice(after).filter(fits);
  const data = rest.slice(0, Number(query.get('limit')));
  return answer(200, { data, nextCursor: rest.length > data.length ? data.at(-1)!.id : null });
});

let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  client = createClient({ baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}` });
});
afterAll(() => void service.close());

test('the active release and the one before it are found behind 100 newer deployments', async () => {
  expect((await activeRelease(client, 'prj_1'))?.id).toBe('dep_active');
  const found = await findDeployment(client, 'shop', undefined, releaseBefore, 'no earlier release');
  expect(found.id).toBe('dep_before');
  const inEmptyName = findDeployment(client, 'shop', '', (each) => each.find(({ active }) => active), 'nothing active');
  expect((await inEmptyName).id).toBe('dep_active');
  await expect(findDeployment(client, 'shop', 'staging', releaseBefore, 'no earlier release')).rejects.toThrow(
    'Shop has no earlier release in staging; see: mooring deployments --project shop',
  );
});

test('an id is refused beside another environment', async () => {
  const find = (environment?: string) => findDeployment(client, 'dep_active', environment, () => undefined, 'nothing');
  expect((await find()).id).toBe('dep_active');
  expect((await find('production')).id).toBe('dep_active');
  await expect(find('staging')).rejects.toThrow('dep_active is a deployment to production, not to staging');
});
