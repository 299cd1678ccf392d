import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { exitOf } from './sandbox.ts';

it('bounds the exit status that it reads', async () => {
  const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] as const;
  const flood = spawn('/bin/sh', ['-c', 'exec cat /dev/zero >&4'], { stdio: [...stdio] });
  const kill = setTimeout(() => flood.kill('SIGKILL'), 5000);
  // The pipe is closed, so the write fails.
  expect(await exitOf(flood)).not.toEqual({ code: null, signal: 'SIGKILL' });
  clearTimeout(kill);
});
