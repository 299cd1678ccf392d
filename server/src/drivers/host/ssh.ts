import type { Duplex } from 'node:stream';
import { limitConcurrency } from '../../lib/concurrency.ts';
import { heldSocket, type UseSsh } from '../ssh/held-socket.ts';
import type { Command, ExecOptions, Exit, Host } from './host.ts';
import { killAfterMs, workMarker } from './local-command.ts';
import { endRemote, runRemote } from './remote-command.ts';
import { RemoteFiles } from './remote-files.ts';

/** A server reached over SSH. */
export interface SshHost extends Host {
  readonly files: RemoteFiles;
  /** Opens a stream to one of its sockets. The connection is held until the stream closes. */
  openSocket(path: string): Promise<Duplex>;
}

// OpenSSH allows ten sessions per connection by default: each command needs one, and another to end it.
const mostAtOnce = 4;

export function sshHost(use: UseSsh): SshHost {
  const inTurn = limitConcurrency(mostAtOnce);
  return {
    kind: 'ssh',
    files: new RemoteFiles(use),
    exec: (command, options) => inTurn(() => exec(use, command, options)),
    endWork: (work) => use((connection) => endRemote(connection, workMarker(work), killAfterMs), {}),
    openSocket: (path) => heldSocket(use, path),
  };
}

async function exec(use: UseSsh, command: Command, options: ExecOptions): Promise<Exit> {
  if (command.sandbox) throw new Error('commands on another machine run as the user of the connection');
  const { signal } = options;
  let hasBegun = false;
  try {
    signal.throwIfAborted();
    return await use(
      (connection) => {
        hasBegun = true;
        return runRemote(connection, command, options);
      },
      { signal },
    );
  } catch (error) {
    if (signal.aborted && !hasBegun) return { code: null, signal: 'SIGTERM', timedOut: false };
    throw error;
  }
}
