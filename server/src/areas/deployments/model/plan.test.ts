import { expect, it } from 'vitest';
import { plan } from './plan.ts';

const plain = { rollback: false, requireApproval: false, services: false };

it('plans a deployment', () => {
  expect(plan({ artifactKept: false }, plain)).toEqual([
    'source',
    'detect',
    'build',
    'release',
    'start',
    'check',
    'route',
    'retire',
    'tidy',
  ]);
});

it('asks and migrates before anything is started', () => {
  const names = plan({ artifactKept: false }, { ...plain, requireApproval: true });
  expect(names).toEqual([
    'source',
    'detect',
    'build',
    'approve',
    'release',
    'start',
    'check',
    'route',
    'retire',
    'tidy',
  ]);
});

it('plans an app that replaces a stack before approval and the release command', () => {
  const seen = { artifactKept: false, servesStack: true };
  const names = plan(seen, { ...plain, requireApproval: true });
  expect(names.slice(0, 6)).toEqual(['source', 'detect', 'build', 'plan', 'approve', 'release']);
  expect(plan({ ...seen, artifactKept: true }, { ...plain, rollback: true })[0]).toBe('plan');
});

it('starts an artifact again without a build, but as any other release', () => {
  expect(plan({ artifactKept: true }, { ...plain, requireApproval: true })).toEqual([
    'approve',
    'release',
    'start',
    'check',
    'route',
    'retire',
    'tidy',
  ]);
});

it('rolls back without a build, a question or a migration', () => {
  const wanted = { ...plain, rollback: true, requireApproval: true };
  expect(plan({ artifactKept: true }, wanted)).toEqual(['start', 'check', 'route', 'retire', 'tidy']);
});

it('builds the commit again when what was built then is gone', () => {
  expect(plan({ artifactKept: false }, { ...plain, rollback: true })).toContain('build');
});
