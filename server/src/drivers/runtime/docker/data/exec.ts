import { setTimeout as sleep } from 'node:timers/promises';
import { feedProgram } from '../../../../lib/feed-program.ts';
import type { ContainerCommand } from '../../container-data.ts';
import { EngineAwayError } from '../../errors.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import { stderr, streamFrames } from '../logs/frames.ts';

const mostErrorBytes = 8_000;
/** The output ends a moment before the engine knows the exit code. */
const exitMs = 10_000;

type Exec = { Running: boolean; ExitCode: number | null };

/** Runs a program in a running container. */
export async function execIn(
  engine: EngineClient,
  container: string,
  { args, env = {}, input, onOutput, signal }: ContainerCommand,
): Promise<{ exitCode: number; stderr: string }> {
  signal.throwIfAborted();
  const body = {
    AttachStdin: input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    Cmd: args,
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
  const { Id } = await engine.json<{ Id: string }>({ method: 'POST', path: `/containers/${container}/exec`, body });
  const call = { method: 'POST', path: `/exec/${Id}/start`, headers: { upgrade: 'tcp' } } as const;
  const socket = await engine.upgrade({ ...call, body: { Detach: false, Tty: false } });
  // The engine cannot end it: a program ends by itself when its input ends or its output is closed.
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop);
  let said = '';
  let inputError: unknown;
  try {
    if (input)
      feedProgram(input, socket).catch((error: unknown) => {
        inputError = error;
        // Ends the program, which would take the part for the whole.
        socket.destroy();
      });
    for await (const { kind, payload } of streamFrames(socket))
      if (kind === stderr) said = `${said}${payload.toString()}`.slice(-mostErrorBytes);
      else await onOutput?.(payload);
    signal.throwIfAborted();
    const exitCode = await exitOf(engine, Id);
    // A program that failed does not read its input to the end.
    if (inputError && exitCode === 0) throw inputError as Error;
    return { exitCode, stderr: said };
  } catch (error) {
    signal.throwIfAborted();
    throw inputError ?? error;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function exitOf(engine: EngineClient, id: string): Promise<number> {
  for (const giveUp = Date.now() + exitMs; ; await sleep(20)) {
    const found = await undefinedIfGone(engine.json<Exec>({ method: 'GET', path: `/exec/${id}/json` }));
    if (!found) throw new EngineAwayError(new Error('it was restarted while a program ran'));
    const { Running, ExitCode } = found;
    if (!Running && ExitCode !== null) return ExitCode;
    if (Date.now() > giveUp) throw new EngineAwayError(new Error('it does not report the exit code of a program'));
  }
}
