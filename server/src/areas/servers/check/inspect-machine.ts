import { EngineClient } from '../../../drivers/runtime/docker/engine/client.ts';
import { engineOverSsh, findOwnSocket, usualSocket } from '../../../drivers/runtime/docker/engine/over-ssh.ts';
import { runAndCollect } from '../../../drivers/ssh/run-and-collect.ts';
import type { SshConnection } from '../../../drivers/ssh/ssh.ts';
import { hasControl } from '../../../lib/control-characters.ts';
import { type EngineStatus, engineInfo, shownEngine } from './engine-info.ts';
import { failedCheck, type ServerCheck } from './outcome.ts';

/** Fixed script without interpolated input. */
const questions = `
echo "system=$(uname -sr)"
echo "architecture=$(uname -m)"
if [ "$(id -u)" = 0 ]; then echo rights=root
elif sudo -n true </dev/null >/dev/null 2>&1; then echo rights=sudo
else echo rights=none; fi
if [ ! -S "$1" ]; then echo socket=absent
elif [ -w "$1" ]; then echo socket=open
else echo socket=closed; fi
`;

/** Returns facts and permissions of the machine. Changes nothing there. */
export async function inspectMachine(
  connection: SshConnection,
  user: string,
  signal: AbortSignal,
): Promise<ServerCheck> {
  const began = performance.now();
  const first = await runAndCollect(connection, ['true'], signal);
  const latencyMs = Math.round((performance.now() - began) * 10) / 10;
  const { code, stdout } = await runAndCollect(connection, ['sh', '-c', questions, 'mooring', usualSocket], signal);
  const told = answersIn(stdout);
  if (first.code !== 0 || code !== 0 || !told['system'])
    return failedCheck('no_commands', `${user} can sign in but cannot run commands`);
  const engine = await engineOf(connection, user, told['socket'], signal);
  return {
    ok: true,
    reached: true,
    latencyMs,
    system: told['system'],
    architecture: told['architecture'] ?? null,
    rights: (['root', 'sudo', 'none'] as const).find((each) => each === told['rights']) ?? null,
    engine: shownEngine(engine),
    disk: await diskAt(connection, engine.dataRoot ?? '/', signal),
  };
}

/** Parses lines of `name=value`. The output is untrusted, so values are limited. */
const answersIn = (stdout: string): Record<string, string | undefined> =>
  Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1, 200)] as const)
      .filter(([name, value]) => name && value && !hasControl(value)),
  );

async function engineOf(
  connection: SshConnection,
  user: string,
  socket: string | undefined,
  signal: AbortSignal,
): Promise<EngineStatus> {
  const none = { version: null, dataRoot: null, swarm: null };
  const isOwn = socket !== 'open' && (await findOwnSocket(connection, signal)) !== undefined;
  if (!isOwn && socket !== 'open' && socket !== 'closed')
    return { ...none, reason: `there is no Docker at ${usualSocket}` };
  if (!isOwn && socket === 'closed')
    return { ...none, reason: `${user} may not use Docker at ${usualSocket}; add the user to the group docker` };
  const client = new EngineClient(engineOverSsh((task) => task(connection)));
  try {
    const info = await engineInfo(client, signal);
    // OpenSSH reports no reason for a rejected channel.
    if (!info.reason?.includes('Channel open failure')) return info;
    return { ...info, reason: `the SSH server forbids forwarding to ${usualSocket} (AllowStreamLocalForwarding)` };
  } finally {
    client.close();
  }
}

/** Parses the last line of `df -P`: device, size in KB, used, available, percent, mount point. */
async function diskAt(connection: SshConnection, path: string, signal: AbortSignal): Promise<ServerCheck['disk']> {
  const { code, stdout } = await runAndCollect(connection, ['df', '-Pk', '--', path], signal);
  const fields = /\s(\d+)\s+\d+\s+(\d+)\s+\d+%/.exec(stdout.trim().split('\n').at(-1) ?? '');
  if (code !== 0 || !fields) return null;
  return { path, freeBytes: Number(fields[2]) * 1024, totalBytes: Number(fields[1]) * 1024 };
}
