import { describe, expect, it } from 'vitest';
import { BuildRefusedError } from '../errors.ts';
import { isOwnName } from '../image-names.ts';
import { isSamePlatform } from '../platforms.ts';
import { withNamedImages } from './named-images.ts';

describe('named images', () => {
  const images = { base: 'team/base:1', 'x.y': 'x@sha256:'.concat('0'.repeat(64)) };
  const stages = `FROM team/base:1 AS base\nFROM x@sha256:${'0'.repeat(64)} AS x.y\n`;

  it('become stages before the first one of the file, after its arguments', () => {
    expect(withNamedImages('FROM base', images)).toBe(`${stages}FROM base`);
    expect(withNamedImages('# escape=\\\n\n# why\nFROM \\\n base\nRUN x', images)).toBe(
      `# escape=\\\n\n# why\n${stages}FROM \\\n base\nRUN x`,
    );
    expect(withNamedImages('ARG A=1 \\\n  B\n# here\nFROM $A', images)).toBe(
      `ARG A=1 \\\n  B\n${stages}# here\nFROM $A`,
    );
    expect(withNamedImages('FROM a', {})).toBe('FROM a');
    expect(withNamedImages('RUN a', images)).toBe('RUN a');
  });

  it.each([
    ['FROM a', { 'a b': 'x' }],
    ['FROM a', { Base: 'x' }],
    ['FROM a', { base: 'x\nRUN y' }],
    ['FROM a', { base: 'x y' }],
    ['FROM a AS Base', { base: 'x' }],
    ['FROM a\nFROM a\nCOPY --from=0 a b', { base: 'x' }],
    ['FROM a\nFROM a\nRUN --mount=type=bind,from=0,target=/x true', { base: 'x' }],
  ])('are rejected in %j with %j', (text, named: Record<string, string>) => {
    expect(() => withNamedImages(text, named)).toThrow(BuildRefusedError);
  });
});

describe('names', () => {
  it.each(['mooring/prj_1:dep_1', 'docker.io/mooring/x', 'index.docker.io/mooring/a/b:1'])(
    'recognize %s as ours',
    (name) => {
      expect(isOwnName(name)).toBe(true);
    },
  );

  it.each(['mooring', 'mooring:1', 'ghcr.io/mooring/x', 'mooring.example/x', 'mooringx/y', 'a b', ''])(
    'do not recognize %j',
    (name) => {
      expect(isOwnName(name)).toBe(false);
    },
  );

  it.each([
    ['linux/arm64', 'linux/arm64/v8', true],
    ['linux/arm64', 'aarch64', true],
    ['linux/amd64', 'x86_64', true],
    ['linux/amd64', 'LINUX/AMD64', true],
    ['linux/amd64', 'linux/amd64/v3', false],
    ['linux/arm64', 'linux/arm/v7', false],
    ['linux/amd64', 'windows/amd64', false],
    ['linux/amd64', 'linux', false],
    ['linux/amd64', '__proto__', false],
    ['linux/amd64', '', false],
  ])('compare the platforms %s and %s', (one, other, isSame) => {
    expect(isSamePlatform(one, other)).toBe(isSame);
  });
});
