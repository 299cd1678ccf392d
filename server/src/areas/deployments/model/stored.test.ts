import { expect, it } from 'vitest';
import { stepResultsIn } from './stored.ts';

const step = (name: string, result: object) => ({ name, result: JSON.stringify(result) });

it('reads results of old versions that lack newer fields', () => {
  const detect = { installCommand: null, buildCommand: null, startCommand: 'node a.js', outputDirectory: null };
  expect(stepResultsIn([step('detect', detect), step('build', { bytes: 12 })])).toEqual({
    detect: { ...detect, image: null, releaseCommand: null, fallback: null, framework: null },
    build: { kind: 'folder', bytes: 12 },
  });
});

it('reads the results of a stack, and rejects invalid ones', () => {
  expect(stepResultsIn([step('detect', { services: true, framework: null })])).toEqual({});
  expect(stepResultsIn([step('build', { kind: 'stack', bytes: 1 })])).toEqual({ build: { kind: 'stack', bytes: 1 } });
  expect(() => stepResultsIn([step('detect', { startCommand: 5 })])).toThrow('deployment_steps.result does not fit');
});
