import { describe, expect, it } from 'vitest';
import { BuildOutput } from './build-output.ts';
import { BuildKitProgress } from './buildkit-progress.ts';
import type { RanStep } from './plan.ts';
import type { Vertex } from './trace.ts';

const recorded = () => {
  const lines: string[] = [];
  return { lines, output: new BuildOutput((line, stream) => lines.push(stream === 'stderr' ? `! ${line}` : line)) };
};

const vertex = (digest: string, name: string, more: Partial<Vertex> = {}): Vertex => ({
  digest,
  name,
  cached: false,
  startedAt: undefined,
  completedAt: undefined,
  error: '',
  ...more,
});
const log = (digest: string, text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({
  vertex: digest,
  stream,
  message: Buffer.from(text),
});

describe('build progress', () => {
  const started = () => {
    const { lines, output } = recorded();
    const [images, ran]: [string[], RanStep[]] = [[], []];
    const onImage = async (name: string) => void images.push(name);
    return { lines, images, ran, progress: new BuildKitProgress({ output, onImage, onRan: (step) => ran.push(step) }) };
  };

  it('prints each line of parallel steps under the title of its step', () => {
    const { lines, progress } = started();
    const a = vertex('a', '[a 2/2] RUN one', { startedAt: 1 });
    const b = vertex('b', '[b 2/2] RUN two \\\n  more', { startedAt: 2 });
    progress.take({ vertexes: [vertex('i', '[internal] load .dockerignore', { startedAt: 1 }), a, a, b], logs: [] });
    progress.take({
      vertexes: [],
      logs: [log('a', 'first\nhalf '), log('b', 'other\n', 'stderr'), log('a', 'line\nno end')],
    });
    progress.take({ vertexes: [{ ...a, completedAt: 9 }], logs: [] });
    progress.take({
      vertexes: [vertex('c', '[3/3] COPY . .', { startedAt: 9, completedAt: 9, cached: true })],
      logs: [],
    });
    expect(lines).toEqual([
      '[a 2/2] RUN one',
      '[b 2/2] RUN two \\ more',
      '[a 2/2] RUN one (continued)',
      'first',
      '[b 2/2] RUN two \\ more (continued)',
      '! other',
      '[a 2/2] RUN one (continued)',
      'half line',
      'no end',
      '[3/3] COPY . . (cached)',
    ]);
  });

  it('reports the images used and the steps that ran', () => {
    const { images, ran, progress } = started();
    progress.take({
      vertexes: [
        vertex('m', '[internal] load metadata for docker.io/library/node:22', { startedAt: 1, completedAt: 5 }),
        vertex('f', '[1/2] FROM docker.io/library/node:22@sha256:00', { startedAt: 5, completedAt: 5 }),
        vertex('r', '[2/2] RUN x', { startedAt: 10, completedAt: 10 }),
        vertex('r', '[2/2] RUN x', { startedAt: 12, completedAt: 40 }),
        vertex('c', '[3/3] RUN y', { startedAt: 40, completedAt: 50, cached: true }),
      ],
      logs: [],
    });
    expect(images).toEqual(['docker.io/library/node:22', 'docker.io/library/node:22@sha256:00']);
    expect(ran.map(({ name, from, to }) => `${name} ${from}-${to}`)).toEqual([
      '[internal] load metadata for docker.io/library/node:22 1-5',
      '[2/2] RUN x 10-40',
    ]);
  });

  it('names the step that failed, not those cancelled because of it', () => {
    const { progress } = started();
    const failed = vertex('b', '[2/3] RUN make', { startedAt: 1 });
    progress.take({ vertexes: [failed], logs: [log('b', `${'x\n'.repeat(30)}boom\n`, 'stderr')] });
    progress.take({
      vertexes: [
        vertex('a', '[other 2/2] RUN sleep', { startedAt: 1, completedAt: 2, error: 'context canceled' }),
        { ...failed, completedAt: 2, error: 'process "/bin/sh -c make" did not complete successfully: exit code: 2' },
      ],
      logs: [],
    });
    const error = progress.failure(
      'failed to solve: process "/bin/sh -c make" did not complete successfully: exit code: 2',
    );
    expect(error).toMatchObject({ instruction: 'RUN make', exitCode: 2 });
    expect(error.lastLines).toHaveLength(20);
    expect(error.message).toMatch(/^RUN make failed \(exit code 2\)\nx\n.*\nboom$/s);
    expect(
      started().progress.failure('failed to solve with frontend dockerfile.v0: failed to create LLB definition: no')
        .message,
    ).toBe('no');
    expect(started().progress.failure('executor failed running [/bin/sh -c make]: exit code: 137').message).toBe(
      'the build failed (exit code 137: killed, probably out of memory)',
    );
  });
});
