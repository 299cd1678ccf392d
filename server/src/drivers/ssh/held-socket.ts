import type { Duplex } from 'node:stream';
import type { SshConnection } from './ssh.ts';

/** Lends a connection to a server for the duration of the task. */
export type UseSsh = <T>(
  task: (connection: SshConnection) => Promise<T>,
  options: { signal?: AbortSignal },
) => Promise<T>;

/** Opens a stream to a socket of the server. The connection is held until the stream closes. */
export const heldSocket = (use: UseSsh, path: string): Promise<Duplex> =>
  openHeldStream(use, (connection) => connection.openSocket(path));

/** Opens a stream to a port likewise. */
export const heldPort = (use: UseSsh, host: string, port: number): Promise<Duplex> =>
  openHeldStream(use, (connection) => connection.openPort(host, port));

/** Opens a stream in a connection, which is held until the stream closes. */
export const openHeldStream = (use: UseSsh, open: (connection: SshConnection) => Promise<Duplex>): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    use(async (connection) => {
      const stream = await open(connection);
      const closed = new Promise<void>((done) => stream.once('close', done));
      // ssh2 ends the streams of a lost connection as if they were complete.
      const lost = () => stream.listenerCount('error') && stream.emit('error', connection.gone.reason);
      connection.gone.addEventListener('abort', lost);
      resolve(stream);
      await closed;
      connection.gone.removeEventListener('abort', lost);
    }, {}).catch(reject);
  });
