import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../test/rig/children.ts';
import { hostContract } from './contract.ts';
import type { Command } from './host.ts';
import { detectIsolation, type ProcessIsolation, newTemporary, sandboxOf } from './isolation.ts';
import { localHost } from './local.ts';
import { readProcess } from './processes.ts';
import type { Sandbox } from './sandbox.ts';

hostContract('local', () => ({ host: localHost(), slackMs: 0, abandon: inAnotherService }));

describe.runIf(process.getuid?.() === 0)('command of another user', () => {
  const sandbox = { processLimit: 100, user: { uid: 61_002, gid: 61_003 } };
  const run = (script: string) => outputOf(script, sandbox);

  it('runs without our groups', async () => {
    expect(await run('id -u; id -g; id -G')).toBe('61002\n61003\n61003\n');
  });

  it('leaves nothing behind', async () => {
    const pid = Number(await run('setsid sleep 60 > /dev/null 2>&1 & echo $!'));
    expect(pid).toBeGreaterThan(1);
    expect(readProcess(pid)).toBeUndefined();
  });
});

describe.runIf(process.getuid?.() === 0)('temporary folders of projects', () => {
  const dataDir = newFolder('data');
  let isolation: ProcessIsolation;
  beforeAll(async () => {
    chmodSync(dataDir, 0o711);
    isolation = await detectIsolation({ dataDir, setting: 'auto', processLimit: 100, path: process.env['PATH'] ?? '' });
  });
  const release = (uid: number) => {
    const folder = join(dataDir, String(uid));
    mkdirSync(folder, { recursive: true });
    chownSync(folder, uid, uid);
    return folder;
  };
  const sandboxFor = (uid: number, temporary = newTemporary(dataDir), kind = isolation) =>
    sandboxOf(kind, { user: { uid, gid: uid }, writable: [release(uid)], temporary })!;
  const [owner, other] = [61_010, 61_011];
  const mark = `planted-${process.pid}`;
  const plant = `for folder in /tmp /var/tmp /dev/shm; do echo evil > $folder/${mark} && echo written; done`;
  const look = `for folder in /tmp /var/tmp /dev/shm; do cat $folder/${mark} 2> /dev/null; done; echo looked`;

  it('are visible neither to other projects nor to the machine', async () => {
    const sandbox = sandboxFor(other);
    expect(sandbox.privateTmp).toBeDefined();
    const planted = outputOf(`${plant}; sleep 2; ${look}`, sandbox);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await outputOf(look, sandboxFor(owner))).toBe('looked\n');
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) expect(existsSync(join(folder, mark))).toBe(false);
    expect(await planted).toBe(`${'written\n'.repeat(3)}${'evil\n'.repeat(3)}looked\n`);
  });

  it('are empty at the next start, and their symlinks lead root nowhere', async () => {
    const temporary = newTemporary(dataDir);
    const victim = join(newFolder('victim'), 'folder');
    await outputOf(
      `${plant}; ln -s ${victim} ${join('/tmp', 'start-1')}; ln -s /etc /tmp/mooring`,
      sandboxFor(owner, temporary),
    );
    expect(
      await outputOf(
        `${look}; ls -A /tmp | grep -c start-; echo a > ${release(owner)}/file; echo $?`,
        sandboxFor(owner, temporary),
      ),
    ).toBe('looked\n0\n0\n');
    expect(existsSync(victim)).toBe(false);
  });

  it('are removed at the next start after the service was killed', async () => {
    const folder = newFolder('killed');
    chmodSync(folder, 0o711);
    writeFileSync(join(newTemporary(folder), 'file'), 'left');
    await detectIsolation({ dataDir: folder, setting: 'auto', processLimit: 100, path: '' });
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  it('are below the home where mount namespaces are not available', async () => {
    const sandbox = sandboxFor(owner, newTemporary(dataDir), { kind: 'users', processLimit: 100 });
    const script = 'touch "$TMPDIR/file" && stat -c "%a %u %n" "$TMPDIR"; echo "$NODE_COMPILE_CACHE"';
    const folder = join(release(owner), '.mooring-tmp');
    expect(await outputOf(script, sandbox)).toBe(`700 ${owner} ${folder}\n${folder}/node-compile-cache\n`);
  });
});

async function outputOf(script: string, sandbox: Sandbox): Promise<string> {
  let text = '';
  await localHost().exec(
    { work: 'test', file: '/bin/sh', args: ['-c', script], cwd: '/', env: { PATH: '/usr/bin:/bin' }, sandbox },
    { onOutput: (_, chunk) => (text += chunk.toString()), signal: new AbortController().signal, deadlineMs: 20_000 },
  );
  return text;
}

/** A separate process that runs the command until it is killed. */
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
