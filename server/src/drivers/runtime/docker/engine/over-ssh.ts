import type { Duplex } from 'node:stream';
import { runAndCollect } from '../../../ssh/run-and-collect.ts';
import { openHeldStream, heldSocket, type UseSsh } from '../../../ssh/held-socket.ts';
import { LazyStream } from '../../../ssh/lazy-stream.ts';
import type { SshConnection } from '../../../ssh/ssh.ts';
import type { EngineConnect } from './client.ts';

export const usualSocket = '/var/run/docker.sock';
/** Displayed to users: the socket of a rootless engine. */
export const ownSocket = '$XDG_RUNTIME_DIR/docker.sock';

/** Fixed and read-only: nothing is interpolated into it. */
const question = `
for socket in "$XDG_RUNTIME_DIR/docker.sock" "/run/user/$(id -u)/docker.sock"; do
  if [ -S "$socket" ] && [ -w "$socket" ]; then printf '%s\\n' "$socket"; exit 0; fi
done
`;
const longestPath = 200;
const patienceMs = 10_000;

/** Connects to an engine on another server: each connection is a channel of the one SSH connection. Without `socket`
 * it tries the usual places. */
export const engineOverSsh =
  (use: UseSsh, socket?: string): EngineConnect =>
  () =>
    new LazyStream(() => (socket === undefined ? openHeldStream(use, openEngine) : heldSocket(use, socket)));

/** Sockets of rootless engines, for servers where the usual one is missing or not accessible. */
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

/** Returns the socket of a rootless engine of the SSH user, if there is one. */
export async function findOwnSocket(connection: SshConnection, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await runAndCollect(connection, ['sh', '-c', question], signal);
    const path = stdout.split('\n')[0]!;
    return path.startsWith('/') && path.length <= longestPath ? path : undefined;
  } catch {
    // The server runs no commands; the caller reports why the engine is unreachable.
    return undefined;
  }
}
