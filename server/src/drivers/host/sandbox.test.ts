import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { exitOf } from './sandbox.ts';

it('reads no more of a status than a status has', async () => {
  const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] as const;
  const flood = spawn('/bin/sh', ['-c', 'exec cat /dev/zero >&4'], { stdio: [...stdio] });
  const kill = setTimeout(() => flood.kill('SIGKILL'), 5000);
  // It cannot write any more.
  expect(await exitOf(flood)).not.toEqual({ code: null, signal: 'SIGKILL' });
  clearTimeout(kill);
});
