import type { Command, ExecOptions, Exit, Host } from './host.ts';
import { endTree } from './process-tree.ts';
import { killAfterMs, LocalCommand, workMarker } from './local-command.ts';

/** This machine. All processes of a command end with it, including daemons. */
export function localHost(): Host {
  return { kind: 'local', exec, endWork };
}

const endWork = (work: string): Promise<number> =>
  endTree({ leader: null, marker: workMarker(work), since: '0' }, killAfterMs);

async function exec(command: Command, options: ExecOptions): Promise<Exit> {
  const { signal, deadlineMs } = options;
  if (signal.aborted) return { code: null, signal: 'SIGTERM', timedOut: false };
  const running = new LocalCommand(command);
  let timedOut = false;
  let failure: unknown;
  const deadline = setTimeout(() => {
    timedOut = true;
    running.end();
  }, deadlineMs);
  signal.addEventListener('abort', running.end);
  running.read((stream, chunk) => {
    try {
      if (!failure) options.onOutput(stream, chunk);
    } catch (error) {
      failure = error;
      running.end();
    }
  });
  try {
    const exit = await running.exit;
    clearTimeout(deadline);
    await running.leaveNothing();
    if (failure) throw failure as Error;
    return { ...exit, timedOut };
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', running.end);
    running.closePipes();
  }
}
