import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { SshConnection } from '../ssh/ssh.ts';
import type { Command, ExecOptions, Exit } from './host.ts';
import { killAfterMs, workVariable } from './local-command.ts';
import { type NotBegun, Preamble } from './preamble.ts';
import { endScript, launchScript, type RemoteLeader } from './remote-scripts.ts';

/** How long output may still come after the command itself has ended; something that it left behind holds the pipe. */
const pipeGraceMs = 500;
/** Ending takes its grace and a few seconds more, whatever has to be ended. */
const endingMs = 20_000;

const reasons: Record<NotBegun, (command: Command) => string> = {
  cwd: ({ cwd }) => `${cwd}: ENOENT, or not ours to enter`,
  file: ({ file }) => `${file}: ENOENT, or not ours to run`,
  proc: () => 'commands are run on Linux only: there is no /proc on this machine',
};

/** Runs a command over a connection. When it is settled, nothing that the command started runs any more; only when the
 * connection is lost (`lost`) something may be left, which an end of its work finds later. */
export async function runRemote(connection: SshConnection, command: Command, options: ExecOptions): Promise<Exit> {
  const part = `${command.work}/${randomBytes(8).toString('hex')}`;
  const nonce = randomBytes(8).toString('hex');
  const stopped = new AbortController();
  let timedOut = false;
  let failure: unknown;
  let ending: Promise<unknown> | undefined;
  const end = (graceMs: number) => {
    ending ??= preamble.known.promise.then(() =>
      endRemote(connection, `${workVariable}=${part}`, graceMs, preamble.leader),
    );
    ending.catch((error: unknown) => stopped.abort(error));
  };
  const pass = (stream: 'stdout' | 'stderr', chunk: Buffer) => {
    try {
      if (!failure) options.onOutput(stream, chunk);
    } catch (error) {
      failure = error;
      end(killAfterMs);
    }
  };
  const preamble = new Preamble(nonce, (chunk) => pass('stderr', chunk));
  const onAbort = () => end(killAfterMs);
  const deadline = setTimeout(() => {
    timedOut = true;
    end(killAfterMs);
  }, options.deadlineMs);
  let holding: NodeJS.Timeout | undefined;
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) onAbort();
  try {
    const exit = await connection.exec(['exec', 'env', '-i', `${workVariable}=${part}`, 'sh', '-s'], {
      input: Readable.from([launchScript(command, nonce)]),
      signal: stopped.signal,
      onOutput: (stream, chunk) => (stream === 'stderr' ? preamble.push(chunk) : pass(stream, chunk)),
      onExit: () => (holding = setTimeout(() => end(0), pipeGraceMs)),
    });
    clearTimeout(deadline);
    clearTimeout(holding);
    preamble.flush();
    if (!preamble.leader && !ending) throw new Error('the machine lets us in, but runs no commands for us');
    await (ending ?? endRemote(connection, `${workVariable}=${part}`, 0, preamble.leader));
    if (failure) throw failure as Error;
    if (preamble.notBegun) throw new Error(reasons[preamble.notBegun](command));
    return { ...exit, timedOut };
  } finally {
    clearTimeout(deadline);
    clearTimeout(holding);
    preamble.known.resolve();
    options.signal.removeEventListener('abort', onAbort);
  }
}

/** Ends what carries the marker, what belongs to the leader, and what they started. Gives how many there were. */
export async function endRemote(
  connection: SshConnection,
  marker: string,
  graceMs: number,
  leader?: RemoteLeader,
): Promise<number> {
  const said = { stdout: '', stderr: '' };
  const { code } = await connection.exec(['exec', 'env', '-i', 'sh', '-s'], {
    input: Readable.from([endScript(marker, leader, graceMs)]),
    signal: AbortSignal.timeout(graceMs + endingMs),
    onOutput: (stream, chunk) => (said[stream] += chunk.toString().slice(0, 1000)),
  });
  if (code !== 0) throw new Error(`what was started there cannot be ended: ${said.stderr.trim() || `exit ${code}`}`);
  return Number(said.stdout);
}
