import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../test/rig/children.ts';
import { hostContract } from './contract.ts';
import type { Command } from './host.ts';
import { localHost } from './local.ts';
import { readProcess } from './processes.ts';

hostContract('local', () => ({ host: localHost(), slackMs: 0, abandon: inAnotherService }));

describe.runIf(process.getuid?.() === 0)('a command of another user', () => {
  const sandbox = { processLimit: 100, user: { uid: 61_002, gid: 61_003 } };
  const run = async (script: string) => {
    let text = '';
    await localHost().exec(
      { work: 'test', file: '/bin/sh', args: ['-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, sandbox },
      { onOutput: (_, chunk) => (text += chunk.toString()), signal: new AbortController().signal, deadlineMs: 20_000 },
    );
    return text;
  };

  it('runs without our groups', async () => {
    expect(await run('id -u; id -g; id -G')).toBe('61002\n61003\n61003\n');
  });

  it('leaves nothing behind', async () => {
    const pid = Number(await run('setsid sleep 60 > /dev/null 2>&1 & echo $!'));
    expect(pid).toBeGreaterThan(1);
    expect(readProcess(pid)).toBeUndefined();
  });
});

/** Another process that runs the command, and waits for it until it is killed. */
async function inAnotherService(command: Command): Promise<() => Promise<void>> {
  const file = join(newFolder('service'), 'service.ts');
  writeFileSync(
    file,
    `import { localHost } from ${JSON.stringify(join(import.meta.dirname, 'local.ts'))};
     const options = { onOutput() {}, signal: new AbortController().signal, deadlineMs: 60_000 };
     await localHost().exec(${JSON.stringify(command)}, options);`,
  );
  const service = spawnRecorded(process.execPath, [file], { stdio: 'inherit' });
  return async () => {
    service.kill('SIGKILL');
    await exited(service);
  };
}
