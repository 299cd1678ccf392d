import type { Duplex } from 'node:stream';
import { collect } from '../../../ssh/collect.ts';
import { held, heldSocket, type UseSsh } from '../../../ssh/held-socket.ts';
import { LazyStream } from '../../../ssh/lazy-stream.ts';
import type { SshConnection } from '../../../ssh/ssh.ts';
import type { EngineConnect } from './client.ts';

export const usualSocket = '/var/run/docker.sock';
/** For people: where an engine without root's rights has its socket. */
export const ownSocket = '$XDG_RUNTIME_DIR/docker.sock';

/** Fixed, and the same for every machine: nothing is put into it. Asks only. */
const question = `
for socket in "$XDG_RUNTIME_DIR/docker.sock" "/run/user/$(id -u)/docker.sock"; do
  if [ -S "$socket" ] && [ -w "$socket" ]; then printf '%s\\n' "$socket"; exit 0; fi
done
`;
const longestPath = 200;
const patienceMs = 10_000;

/** An engine on another machine: each connection to it is a channel to its socket in the one SSH connection. Without a socket
 * of its own it is looked for where engines usually have it. */
export const engineOverSsh =
  (use: UseSsh, socket?: string): EngineConnect =>
  () =>
    new LazyStream(() => (socket === undefined ? held(use, openEngine) : heldSocket(use, socket)));

/** Where the usual one is not there or not for us, an engine of the user's own may be. */
const found = new WeakMap<SshConnection, string>();

async function openEngine(connection: SshConnection): Promise<Duplex> {
  const known = found.get(connection);
  try {
    return await connection.openSocket(known ?? usualSocket);
  } catch (error) {
    found.delete(connection);
    const own = known === undefined ? await findOwnSocket(connection, AbortSignal.timeout(patienceMs)) : undefined;
    if (own === undefined) throw error;
    const stream = await connection.openSocket(own);
    found.set(connection, own);
    return stream;
  }
}

/** The socket of a rootless engine of the user that we sign in as, if there is one. */
export async function findOwnSocket(connection: SshConnection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await collect(connection, ['sh', '-c', question], signal);
    const path = stdout.split('\n')[0]!;
    return path.startsWith('/') && path.length <= longestPath ? path : undefined;
  } catch {
    // One that runs no commands for us tells nothing; why its engine is not reached is known already.
    return undefined;
  }
}
