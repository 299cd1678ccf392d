import type { Duplex } from 'node:stream';
import type { SshConnection } from './ssh.ts';

/** Lends a connection to a machine for as long as the task takes. */
export type UseSsh = <T>(
  task: (connection: SshConnection) => Promise<T>,
  options: { signal?: AbortSignal },
) => Promise<T>;

/** A stream to a socket of the machine. The connection is held until the stream is closed. */
export const heldSocket = (use: UseSsh, path: string): Promise<Duplex> =>
  held(use, (connection) => connection.openSocket(path));

/** The same to a port. */
export const heldPort = (use: UseSsh, host: string, port: number): Promise<Duplex> =>
  held(use, (connection) => connection.openPort(host, port));

/** A stream that is opened in a connection, which is held until the stream is closed. */
export const held = (use: UseSsh, open: (connection: SshConnection) => Promise<Duplex>): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    use(async (connection) => {
      const stream = await open(connection);
      const closed = new Promise<void>((done) => stream.once('close', done));
      resolve(stream);
      await closed;
    }, {}).catch(reject);
  });
