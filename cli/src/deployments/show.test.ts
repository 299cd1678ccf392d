import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from './show.ts';
import type { DeploymentEvent } from './stream.ts';

type Sent = { type: string } & Record<string, unknown>;
const isTerminal = process.stderr.isTTY;
let written = '';
let seq = 0;

const event = (data: Sent) => ({ seq: ++seq, at: new Date().toISOString(), ...data }) as unknown as DeploymentEvent;
const step = (name: string, status: string) => event({ type: 'step', name, status });
const log = (line: string) =>
  event({ type: 'log', line, level: 'info', step: 'build', stream: 'stdout', service: null });

beforeEach(() => {
  vi.useFakeTimers();
  written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.stderr.isTTY = isTerminal;
});

describe('a failed deployment', () => {
  it('shows its steps as failed and not run', () => {
    process.stderr.isTTY = false;
    const progress = new Progress();
    for (const [name, status] of [
      ['build', 'running'],
      ['build', 'failed'],
      ['start', 'not_run'],
      ['check', 'not_run'],
    ] as const)
      progress.show(step(name, status));
    progress.show(event({ type: 'status', status: 'failed' }));
    expect(written).toBe('✗ build  0.0 s\n- not run: start, check\n');
  });

  it('leaves the reason to the end of the output', () => {
    process.stderr.isTTY = false;
    const progress = new Progress();
    const failed = { type: 'log', level: 'error', step: 'build', stream: 'stdout', service: null };
    for (const line of ['no such file', 'Failed at build: `npm run build` ended with exit code 1'])
      progress.show(event({ ...failed, line }));
    expect(written).toBe('  no such file\n');
  });
});

describe('a step without output', () => {
  it('reports every 30 s without a terminal that it is still running, unless it prints', () => {
    process.stderr.isTTY = false;
    const progress = new Progress();
    progress.show(step('build', 'running'));
    vi.advanceTimersByTime(45_000);
    progress.show(log('compiling'));
    vi.advanceTimersByTime(65_000);
    expect(written.split('\n')).toEqual([
      'build has been running for 30 s, no output for 30 s',
      '  compiling',
      'build has been running for 1 min 15 s, no output for 30 s',
      'build has been running for 1 min 45 s, no output for 1 min 00 s',
      '',
    ]);
    progress.clear();
    written = '';
    vi.advanceTimersByTime(120_000);
    expect(written).toBe('');
  });

  it('counts the time in the last line of a terminal', () => {
    process.stderr.isTTY = true;
    process.stderr.columns = 100;
    const progress = new Progress();
    progress.show(step('build', 'running'));
    vi.advanceTimersByTime(95_000);
    expect(written.split('\r').at(-1)).toContain('… build  1 min 35 s, no output for 1 min 35 s');
    progress.clear();
  });
});

describe('output of a program', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a cleared screen', '\u001b[2J\u001b[Hhello', 'hello'],
    ['a window title', '\u001b]0;owned\u0007hello', 'hello'],
    ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a sequence that is cut off', 'hello\u001b[3', 'hello'],
    ['a string for the terminal', '\u001bP1;2|secret\u001b\\hello', 'hello'],
    ['C1 controls', '\u009b31mhello', 'hello'],
    ['a progress bar', '10 %\r50 %\r100 %\r', '100 %'],
  ])('is shown without %s', (_, line, shown) => {
    process.stderr.isTTY = false;
    new Progress().show(log(line));
    expect(written).toBe(`  ${shown}\n`);
  });
});
