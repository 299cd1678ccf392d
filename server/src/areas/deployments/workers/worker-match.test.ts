import { describe, expect, it } from 'vitest';
import { canBuild, noWorkerReason } from './worker-match.ts';

const arm = { name: 'arm-1', platforms: ['linux/arm64'], labels: ['gpu', 'team=web'] };

describe('a build worker', () => {
  it.each([
    ['its platform', { platform: 'linux/arm64', labels: [] }, true],
    ['another name of its platform', { platform: 'linux/arm64/v8', labels: [] }, true],
    ['some of its labels', { platform: 'linux/arm64', labels: ['team=web'] }, true],
    ['another value of a label', { platform: 'linux/arm64', labels: ['team=api'] }, false],
    ['another platform', { platform: 'linux/amd64', labels: ['gpu'] }, false],
  ])('is asked for %s', (_, wanted, isFit) => expect(canBuild(arm, wanted)).toBe(isFit));

  it('that is missing is described', () => {
    expect(noWorkerReason([arm], { platform: 'linux/amd64', labels: ['gpu'] })).toBe(
      'no build worker builds linux/amd64 and has the label gpu (connected: arm-1: linux/arm64, gpu, team=web)',
    );
    expect(noWorkerReason([], { platform: 'linux/arm64', labels: ['a', 'b'] })).toBe(
      'no build worker builds linux/arm64 and has the labels a, b (none is connected)',
    );
  });
});
