import { expect, it } from 'vitest';
import type { Deployment } from '../../api.ts';
import { changesBetween } from './changes.ts';

const recipe = {
  framework: 'Vite',
  installCommand: 'npm ci',
  buildCommand: 'vite build',
  startCommand: null,
  releaseCommand: null,
  outputDirectory: 'dist',
};
const deployment = (more: Partial<Deployment>) =>
  ({
    commitSha: null,
    branch: null,
    serverId: null,
    deployTarget: 'local',
    services: [],
    ...more,
  }) as unknown as Deployment;
const service = (name: string, more = {}) => ({ name, status: 'ready', change: null, ...more });

it('lists only what differs from the previous release', () => {
  const before = {
    deployment: deployment({
      commitSha: 'a'.repeat(40),
      commitMessage: 'One\n\nmore',
      branch: 'main',
      services: [service('web'), service('old')] as Deployment['services'],
    }),
    recipe,
  };
  const after = {
    deployment: deployment({
      commitSha: 'b'.repeat(40),
      commitMessage: 'Two',
      branch: 'main',
      services: [service('web'), service('old', { change: 'remove' })] as Deployment['services'],
    }),
    recipe: { ...recipe, startCommand: 'node .' },
  };
  expect(changesBetween(before, after)).toEqual([
    { title: 'Commit', before: 'aaaaaaaaaaaa One', after: 'bbbbbbbbbbbb Two' },
    { title: 'Start command', before: null, after: 'node .', isCode: true },
    { title: 'Services', before: 'old, web', after: 'web' },
  ]);
  expect(changesBetween(before, before)).toEqual([]);
  expect(changesBetween(before, { ...before, recipe: null })).toEqual([]);
});
