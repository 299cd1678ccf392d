import { afterEach, expect, it } from 'vitest';
import type { CustomDomain } from '../../domains/release-names.ts';
import { noDomains } from '../../domains/release-names-rig.ts';
import { TrafficSwitch } from './traffic-switch.ts';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';

let rig: Restored;
afterEach(() => rig.app.close());

const forApi: CustomDomain = {
  name: 'api.example.com',
  service: 'api',
  path: '/',
  redirectTo: null,
  isPrimary: true,
  https: 'redirect',
  hstsSeconds: null,
  problem: null,
  isUnresolved: false,
};

it('routes a domain to a service without an endpoint during and after its replacement', async () => {
  const entries = ['web', 'api', 'worker'].map((name) => ({ name, image: 'some', ports: ['80'] }));
  const version = { entries, config: { publicEndpoints: [{ service: 'web' }] } };
  const old = { ...version, version: '1' };
  rig = await exchanged(old, { ...version, version: '2' }, {}, { onStart: () => ({ port: 8080 }) });
  const { context, after } = rig;
  const names = { ...(await noDomains.of({ organizationId: '', projectId: '', environment: '' })), own: [forApi] };
  const parts = { ...context.parts, names: { ...noDomains, of: async () => names } };
  const trafficSwitch = new TrafficSwitch({ ...context, parts });
  const places = async () =>
    (await parts.edge.list()).flatMap(({ routes }) =>
      routes.map(({ host, deploymentId, target }) => [host, deploymentId, 'port' in target ? target.port : 0]),
    );
  await trafficSwitch.switchTo('worker', { host: 'x', port: 9 });
  expect(await places(), 'nobody asks for it').toEqual([]);
  await trafficSwitch.switchTo('api', { host: 'x', port: 9 });
  expect(await places()).toEqual([['api.example.com', `${after}/api`, 9]]);
  const urls = await trafficSwitch.settle({ isWhole: true });
  expect(urls).toEqual(['api.example.com', 'shop.apps.example'].map((host) => parts.edge.url(host)));
  expect((await places()).map(([host]) => String(host)).toSorted()).toEqual(['api.example.com', 'shop.apps.example']);
});
