import { describe, expect, it } from 'vitest';
import { checkDockerfile } from './check.ts';
import { expandVariables } from './expand.ts';
import { parseDockerfile } from './parse.ts';
import { neededStages, stagesOf } from './stages.ts';

const check = (text: string, more: { args?: Record<string, string>; target?: string } = {}) =>
  checkDockerfile(text, { args: {}, target: undefined, architecture: 'arm64', ...more });

describe('Dockerfile parser', () => {
  it('joins continued lines without comments and empty lines', () => {
    const { instructions } = parseDockerfile(
      '\uFEFF# top\nfrom a \\\n  as \\\n# not this\n\n  b\r\nRUN x \\\\\nCOPY --from=b --chown=1:1 . /\nENV A=1',
    );
    expect(instructions.map(({ name, flags, arguments: rest }) => [name, flags, rest.replaceAll(/\s+/g, ' ')])).toEqual(
      [
        ['FROM', [], 'a as b'],
        ['RUN', [], 'x \\\\'],
        ['COPY', ['--from=b', '--chown=1:1'], '. /'],
        ['ENV', [], 'A=1'],
      ],
    );
    expect(instructions.map(({ lastLine }) => lastLine)).toEqual([5, 6, 7, 8]);
  });

  it('does not treat heredoc text as instructions', () => {
    const text =
      'FROM a\nRUN <<EOF cat\nFROM evil\nEOF\nCOPY <<-"X" <<Y /to/\n\tFROM evil\n\tX\nFROM evil\nY\nRUN echo <<<here';
    expect(parseDockerfile(text).instructions.map(({ name }) => name)).toEqual(['FROM', 'RUN', 'COPY', 'RUN']);
    // Without an end marker it is not a heredoc.
    expect(parseDockerfile('FROM a\nRUN cat <<EOF\nFROM b').instructions.map(({ name }) => name)).toEqual([
      'FROM',
      'RUN',
      'FROM',
    ]);
  });
});

describe('variables of a FROM', () => {
  const values: Record<string, string> = { A: 'node', EMPTY: '', TAG: '22' };
  const lookup = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  it.each([
    ['$A:$TAG', 'node:22'],
    ['${A}:${TAG}-slim', 'node:22-slim'],
    ['${B:-busybox}', 'busybox'],
    ['${EMPTY:-x}${EMPTY-y}', 'x'],
    ['${A:+yes}${B:+no}', 'yes'],
    ['${B:-${A}}', 'node'],
    ['"$A":\'$A\'', 'node:$A'],
    ['\\$A', '$A'],
    ['$B', ''],
    ['${constructor}', ''],
  ])('expand %s to %s', (word, value) => {
    expect(expandVariables(word, lookup)).toBe(value);
  });

  it.each(['${A', '${A#x}', '${A/x/y}', '${B:?why}', '"open', '${}', '${1}'])('leave %s unresolved', (word) => {
    expect(expandVariables(word, lookup)).toBeUndefined();
  });

  it('do not grow without bounds', () => {
    const lines = Array.from({ length: 60 }, (_, i) => `ARG A${i + 1}=\${A${i}}\${A${i}}`);
    expect(() => check(`ARG A0=xxxxxxxx\n${lines.join('\n')}\nFROM $A60`)).toThrow('names no image');
    expect(() => check(`FROM ${'${A:-'.repeat(50_000)}`)).toThrow('names no image');
  });
});

describe('images of a Dockerfile', () => {
  const file = [
    'ARG NODE=20',
    'ARG BASE=node:$NODE REGISTRY="reg.example.com:5000"',
    'FROM --platform=$BUILDPLATFORM ${BASE}-slim AS Deps',
    'FROM deps AS build',
    'COPY --from=deps /a /a',
    'COPY --from=0 /a /a',
    'COPY --from=nginx:alpine /etc /etc',
    'RUN --mount=type=bind,from=$REGISTRY/tools,target=/t --mount=type=cache,target=/c ls',
    'FROM ${REGISTRY}/x/y@sha256:' + 'a'.repeat(64) + ' AS unused',
    'ONBUILD COPY --from=other:1 / /',
    'FROM scratch',
    'COPY --from=build /out /',
  ].join('\n');

  it('are those that the target needs', () => {
    const read = (target?: string) =>
      neededStages(stagesOf(parseDockerfile(file), { NODE: '22' }, 'arm64'), target).flatMap(({ sources }) =>
        sources.flatMap((source) => ('image' in source ? [source.image] : [])),
      );
    expect(read('DEPS')).toEqual(['node:22-slim']);
    expect(read()).toEqual(['node:22-slim', 'nginx:alpine', '$REGISTRY/tools']);
    expect(read('unused')).toEqual([`reg.example.com:5000/x/y@sha256:${'a'.repeat(64)}`, 'other:1']);
  });

  it('have a platform, if the file sets it', () => {
    const [stage] = stagesOf(parseDockerfile(file), {}, 'amd64');
    expect(stage).toMatchObject({ name: 'deps', sources: [{ image: 'node:20-slim', platform: 'linux/amd64' }] });
  });
});

describe('Dockerfile check', () => {
  it.each([
    ['', 'no FROM'],
    ['RUN x', 'no FROM'],
    ['FROM $NOTHING', 'names no image'],
    ['FROM UPPER', 'not an image name'],
    ['FROM a b;c', ''],
    ['FROM ../a', 'not an image name'],
    ['FROM a?x=1', 'not an image name'],
    ['FROM a\nCOPY --from=$X / /', 'not an image name'],
    ['# syntax=evil/frontend\nFROM a', 'only docker/dockerfile'],
    ['# hello\n#   SYNTAX = docker/dockerfile-evil:1\nFROM a', 'only docker/dockerfile'],
    ['# syntax=docker/dockerfile:1\n# syntax=evil\nFROM a', 'only docker/dockerfile'],
    ['// syntax=evil\nFROM a', 'not a Dockerfile'],
    ['#!/usr/bin/env x\n{"s\\u0079ntax": "evil"}', 'not a Dockerfile'],
    ['# escape=`\nFROM a', 'Windows'],
    ['FROM a\0b', 'NUL'],
    ['FROM a\n' + 'RUN x\n'.repeat(3000), 'more than 2000'],
  ])('rejects %j', (text, why) => {
    if (why) expect(() => check(text)).toThrow(why);
    else expect(check(text).images).toEqual(['a']);
  });

  it('rejects a target that is not a stage', () => {
    for (const target of ['', 'x', '0', 'a\nb', '../a', '-x'])
      expect(() => check('FROM a AS b', { target })).toThrow('has no stage');
  });

  it('only removes the official frontend', () => {
    const { file, notices } = check('# syntax=docker/dockerfile:1.7\n# check=skip=all\nFROM a');
    expect(file.lines).toEqual(['#', '# check=skip=all', 'FROM a']);
    expect(notices).toEqual(['# syntax=docker/dockerfile:1.7 is replaced by the built-in syntax of the engine']);
  });

  it('finishes quickly, also with malicious files', () => {
    const began = Date.now();
    const spaces = ' '.repeat(500_000);
    for (const text of [
      `# a=${spaces}x`,
      `FROM a\nRUN ${'<<A '.repeat(100_000)}\n${'x\n'.repeat(1000)}`,
      `FROM a${spaces}\\`,
      `ARG A=${'\\'.repeat(300_000)}"\nFROM a`,
      `FROM a\nRUN ${'--x '.repeat(100_000)}`,
    ])
      try {
        check(text);
      } catch {
        // Rejecting is fine too.
      }
    expect(Date.now() - began).toBeLessThan(2000);
  });
});
