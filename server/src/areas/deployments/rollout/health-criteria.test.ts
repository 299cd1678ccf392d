import { describe, expect, it } from 'vitest';
import { readServiceEntries } from '../../../compose/index.ts';
import type { CustomDomain } from '../../domains/release-names.ts';
import { newServiceState, type ServiceState, type Stack } from '../model/stack.ts';
import { appStack } from '../stack/app.ts';
import { emptyConfig, emptyRecipe } from '../stack/read/stack-rig.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { healthCriteriaOf } from './health-criteria.ts';

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
const domain = (name: string, more: Partial<CustomDomain> = {}): CustomDomain => ({
  name,
  service: null,
  path: '/',
  redirectTo: null,
  isPrimary: false,
  https: 'redirect',
  hstsSeconds: null,
  problem: null,
  isUnresolved: false,
  ...more,
});

const answersOf = async (...args: Parameters<typeof criteriaOf>) => (await criteriaOf(...args)).answers;

function criteriaOf(
  stack: Stack,
  name: string,
  own: CustomDomain[],
  isInstance: (host: string) => boolean = () => false,
  states: ServiceState[] = [],
) {
  const names = { own, hasLabel: () => true, isSecure: () => false, isInstance };
  const parts = {
    baseDomain: 'apps.example',
    names: { of: async () => names, all: async () => () => names },
    timeouts: { buildMs: 1, startMs: 1, promptMs: 1, engineMs: 1 },
    runtime: createMemoryRuntime(),
  };
  const deployment = { organizationId: 'org_1', projectId: 'prj_1', environment: 'production' };
  return healthCriteriaOf({ parts, config: emptyConfig, deployment, stack, states }, name);
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

describe('a service that is public only by a guess', () => {
  const candidate = { service: 'web', port: 80, usual: null, isMeant: false, reason: '' };
  const guessed = (isMeant: boolean, entry = {}): Stack => ({
    ...services,
    project: readServiceEntries('shop', [{ name: 'web', image: 'some', ...entry }]),
    candidates: [{ ...candidate, isMeant }],
  });
  const http = { type: 'http', path: null, hostName: 'shop.apps.example' };

  it('needs to answer only to get an address', async () => {
    expect(await criteriaOf(guessed(false), 'web', [])).toMatchObject({ answers: null, guess: http, mayEnd: true });
    const exposing = guessed(false, { expose: ['80'] });
    expect(await criteriaOf(exposing, 'web', [])).toMatchObject({
      answers: { type: 'tcp' },
      guess: http,
      mayEnd: false,
    });
  });

  it('must answer if the source says that it is public', async () => {
    const criteria = await criteriaOf(guessed(true), 'web', []);
    expect([criteria.answers, criteria.guess]).toEqual([http, undefined]);
  });

  it('is not asked again once it was silent', async () => {
    const silent = { ...newServiceState('web'), isSilent: true };
    const criteria = await criteriaOf(guessed(false), 'web', [], () => false, [silent]);
    expect([criteria.answers, criteria.guess]).toEqual([null, undefined]);
  });
});
