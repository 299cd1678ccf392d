import { expect, it } from 'vitest';
import { readServiceEntries } from '../../../compose/index.ts';
import type { OwnName } from '../../domains/names.ts';
import type { Stack } from '../model/stack.ts';
import { appStack } from '../stack/app.ts';
import { emptyConfig, emptyRecipe } from '../stack/read/stack-rig.ts';
import { proofOf } from './proof.ts';

const app = appStack('dep_1', emptyConfig, emptyRecipe);
const services: Stack = {
  project: readServiceEntries('shop', [
    { name: 'web', image: 'some', ports: ['80'] },
    { name: 'api', image: 'some', ports: ['8080'] },
  ]),
  digests: {},
  contents: {},
  secrets: [],
};
const domain = (name: string, more: Partial<OwnName> = {}): OwnName => ({
  name,
  service: null,
  path: '/',
  redirectTo: null,
  isPrimary: false,
  https: 'redirect',
  hstsSeconds: null,
  problem: null,
  ...more,
});

function answersOf(stack: Stack, name: string, own: OwnName[], isInstance: (host: string) => boolean = () => false) {
  const names = { own, hasLabel: () => true, isSecure: () => false, isInstance };
  const parts = {
    baseDomain: 'apps.example',
    names: { of: async () => names, all: async () => () => names },
    timeouts: { buildMs: 1, startMs: 1, promptMs: 1, engineMs: 1 },
  };
  const deployment = { organizationId: 'org_1', projectId: 'prj_1', environment: 'production' };
  return proofOf({ parts, config: emptyConfig, deployment, stack, states: [] }, name).then(({ answers }) => answers);
}

it('checks an app with the host name of its primary domain', async () => {
  const own = [
    domain('www.shop.example', { redirectTo: 'shop.example' }),
    domain('other.example'),
    domain('shop.example', { isPrimary: true }),
  ];
  expect(await answersOf(app, 'app', own)).toEqual({ type: 'http', path: null, hostName: 'shop.example' });
});

it('checks an app without a domain with the host name of its generated address', async () => {
  expect(await answersOf(app, 'app', [])).toMatchObject({ hostName: 'shop.apps.example' });
  const redirecting = [domain('www.shop.example', { redirectTo: 'shop.example' })];
  expect(await answersOf(app, 'app', redirecting)).toMatchObject({ hostName: 'shop.apps.example' });
});

it('sends no host name if the project has no address', async () => {
  const isInstance = (host: string) => host === 'shop.apps.example';
  expect(await answersOf(app, 'app', [], isInstance)).toMatchObject({ hostName: null });
});

it('checks the main service of a stack with its own host name, and connects to the others', async () => {
  const own = [domain('api.example', { service: 'api', isPrimary: true })];
  expect(await answersOf(services, 'web', own)).toEqual({ type: 'http', path: null, hostName: 'shop.apps.example' });
  expect(await answersOf(services, 'api', own)).toEqual({ type: 'tcp' });
});
