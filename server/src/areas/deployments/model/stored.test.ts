import { expect, it } from 'vitest';
import { resultsIn } from './stored.ts';

const step = (name: string, result: object) => ({ name, result: JSON.stringify(result) });

it('reads results of old versions that lack newer fields', () => {
  const detect = { installCommand: null, buildCommand: null, startCommand: 'node a.js', outputDirectory: null };
  expect(resultsIn([step('detect', detect), step('build', { bytes: 12 })])).toEqual({
    detect: { ...detect, image: null, releaseCommand: null, fallback: null, framework: null },
    build: { kind: 'folder', bytes: 12 },
  });
});

it('reads the results of a stack, and rejects invalid ones', () => {
  expect(resultsIn([step('detect', { services: true, framework: null })])).toEqual({});
  expect(resultsIn([step('build', { kind: 'stack', bytes: 1 })])).toEqual({ build: { kind: 'stack', bytes: 1 } });
  expect(() => resultsIn([step('detect', { startCommand: 5 })])).toThrow('deployment_steps.result does not fit');
});
