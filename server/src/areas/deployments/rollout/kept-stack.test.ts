import { expect, it } from 'vitest';
import { readServiceEntries } from '../../../compose/index.ts';
import { keptStack } from './kept-stack.ts';
import { newServiceState, type ServiceImage, type ServiceState, type Stack } from '../model/stack.ts';

const image = (imageId: string): ServiceImage => ({
  image: 'some',
  imageId,
  isOwn: false,
  bytes: 1,
  ports: [],
  volumes: [],
  hasHealthcheck: false,
  port: null,
});
const stackOf = (version: string, names: string[]): Stack => ({
  project: readServiceEntries(
    'shop',
    names.map((name) => ({ name, image: `some:${version}`, volumes: [`${name}-${version}:/data`] })),
  ),
  digests: Object.fromEntries(names.map((name) => [name, `${name} ${version}`])),
  contents: { 'nginx.conf': version },
  secrets: [version],
});
const state = (name: string, more: Partial<ServiceState>): ServiceState => ({ ...newServiceState(name), ...more });

it('describes what really runs of a kept partial failure', () => {
  const before = {
    stack: stackOf('1', ['web', 'api', 'old']),
    states: ['web', 'api', 'old'].map((name) => state(name, { image: image('sha256:1'), runsOf: 'dep_1' })),
  };
  const half = {
    stack: stackOf('2', ['web', 'api', 'new']),
    states: [
      state('web', { status: 'ready', change: 'replace', image: image('sha256:2'), runsOf: 'dep_2', before: 'dep_1' }),
      state('api', { status: 'failed', change: 'replace', image: image('sha256:2'), runsOf: 'dep_1', before: 'dep_1' }),
      state('new', { status: 'skipped', change: 'create', image: image('sha256:2') }),
      state('old', { status: 'waiting', change: 'remove', runsOf: 'dep_1', before: 'dep_1' }),
    ],
  };
  const { stack, states } = keptStack(half, before);
  expect(stack.project.services.map(({ name, image: named }) => [name, named])).toEqual([
    ['web', 'some:2'],
    ['api', 'some:1'],
  ]);
  expect(stack.digests).toEqual({ web: 'web 2', api: 'api 1' });
  expect([stack.contents, stack.olderContents]).toEqual([{ 'nginx.conf': '2' }, { api: { 'nginx.conf': '1' } }]);
  expect(stack.secrets).toEqual(['2', '1']);
  expect(states.map(({ name, status, image: used, runsOf }) => [name, status, used?.imageId ?? null, runsOf])).toEqual([
    ['web', 'ready', 'sha256:2', 'dep_2'],
    ['api', 'failed', 'sha256:1', 'dep_1'],
    ['new', 'skipped', null, null],
    ['old', 'removed', null, null],
  ]);
});

it('leaves out services that never ran', () => {
  const half = {
    stack: stackOf('1', ['web', 'api']),
    states: [
      state('web', { status: 'ready', change: 'create', runsOf: 'dep_1' }),
      state('api', { status: 'failed', change: 'create' }),
    ],
  };
  expect(keptStack(half, undefined).stack.project.services.map(({ name }) => name)).toEqual(['web']);
});
