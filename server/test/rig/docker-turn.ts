import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from '../../src/lib/lock-file.ts';

const firstToFlush = 27;
const withinMs = 600_000;

class TakenError extends Error {}

/** From 27 on, an engine that starts makes the chains anew that it shares with the others of the machine, whose rules are
 * then gone. So there is one such engine at a time, in all runs. Older ones live side by side. */
export async function takeTurn(path: string): Promise<{ release(): void }> {
  const version = execFileSync('dockerd', ['--version'], { encoding: 'utf8', env: { PATH: path } });
  if (Number(/version (\d+)/.exec(version)?.[1]) < firstToFlush) return { release() {} };
  for (const giveUp = Date.now() + withinMs; ; await sleep(200)) {
    try {
      return lockFile(join(tmpdir(), 'mooring-rig-docker.lock'), () => new TakenError('another engine has its turn'));
    } catch (error) {
      if (!(error instanceof TakenError) || Date.now() > giveUp) throw error;
    }
  }
}
