import { expect, it } from 'vitest';
import { planSteps } from './plan.ts';

const plain = { rollback: false, requireApproval: false, services: false };

it('plans all steps of a deployment', () => {
  expect(planSteps({ artifactKept: false }, plain)).toEqual([
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

it('plans approval and migration before the start', () => {
  const names = planSteps({ artifactKept: false }, { ...plain, requireApproval: true });
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

it('plans service changes before approval and the release command when an app replaces a stack', () => {
  const seen = { artifactKept: false, servesStack: true };
  const names = planSteps(seen, { ...plain, requireApproval: true });
  expect(names.slice(0, 6)).toEqual(['source', 'detect', 'build', 'plan', 'approve', 'release']);
  expect(planSteps({ ...seen, artifactKept: true }, { ...plain, rollback: true })[0]).toBe('plan');
});

it('skips the build for an existing artifact but keeps approval and the release command', () => {
  expect(planSteps({ artifactKept: true }, { ...plain, requireApproval: true })).toEqual([
    'approve',
    'release',
    'start',
    'check',
    'route',
    'retire',
    'tidy',
  ]);
});

it('rolls back without a build, approval or migration', () => {
  const wanted = { ...plain, rollback: true, requireApproval: true };
  expect(planSteps({ artifactKept: true }, wanted)).toEqual(['start', 'check', 'route', 'retire', 'tidy']);
});

it('rebuilds the commit when its artifact no longer exists', () => {
  expect(planSteps({ artifactKept: false }, { ...plain, rollback: true })).toContain('build');
});
