import { type ChildProcess, spawn } from 'node:child_process';
import type { Command, ExecOptions, Exit, Host } from './host.ts';

const killAfterMs = 3_000;
/** How long output may still come after the command itself has ended; something that it left behind holds the pipe. */
const pipeGraceMs = 500;

/** This machine. A command leads a process group of its own, and the group ends with the command. */
export function localHost(): Host {
  return { kind: 'local', exec };
}

function exec(command: Command, options: ExecOptions): Promise<Exit> {
  if (options.signal.aborted) return Promise.resolve({ code: null, signal: 'SIGTERM', timedOut: false });
  return new Promise((resolve, reject) => {
    const child = start(command);
    let timedOut = false;
    let failure: unknown;
    const end = groupEnder(child);
    const deadline = setTimeout(() => {
      timedOut = true;
      end();
    }, options.deadlineMs);
    options.signal.addEventListener('abort', end);
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream]!.on('data', (chunk: Buffer) => {
        try {
          if (!failure) options.onOutput(stream, chunk);
        } catch (error) {
          failure = error;
          end();
        }
      });
    const settle = (act: () => void) => {
      clearTimeout(deadline);
      options.signal.removeEventListener('abort', end);
      act();
    };
    child.once('error', (error) =>
      settle(() => reject(new Error(`${command.file}: ${error.message}`, { cause: error }))),
    );
    child.once('exit', (code, signal) => {
      end.cancel();
      afterPipes(child, () =>
        settle(() => {
          signalGroup(child, 'SIGKILL');
          if (failure) reject(failure as Error);
          else resolve({ code, signal, timedOut });
        }),
      );
    });
  });
}

function start({ file, args, cwd, env, user }: Command): ChildProcess {
  const asUser = user && process.getuid?.() === 0 ? user : {};
  // Given both ids, the system's other groups of ours are dropped too.
  return spawn(file, args, { cwd, env, ...asUser, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Ends the group: politely, then for good. */
function groupEnder(child: ChildProcess): (() => void) & { cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    if (timer) return;
    signalGroup(child, 'SIGTERM');
    timer = setTimeout(() => signalGroup(child, 'SIGKILL'), killAfterMs);
  };
  return Object.assign(end, { cancel: () => clearTimeout(timer) });
}

function afterPipes(child: ChildProcess, then: () => void): void {
  const timer = setTimeout(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, pipeGraceMs);
  child.once('close', () => {
    clearTimeout(timer);
    then();
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (!pid) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nobody left in the group is what we want.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
