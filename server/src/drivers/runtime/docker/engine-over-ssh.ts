import type { Duplex } from 'node:stream';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import type { SshConnection } from '../../ssh/ssh.ts';
import type { EngineConnect } from './engine-client.ts';

export const usualSocket = '/var/run/docker.sock';

/** Lends a connection for as long as the task takes. */
export type UseConnection = <T>(task: (connection: SshConnection) => Promise<T>) => Promise<T>;

/** An engine on another machine: each connection to it is a channel to its socket in the one SSH connection, which is
 * held until the last of them is closed. */
export const engineOverSsh =
  (use: UseConnection, socket = usualSocket): EngineConnect =>
  () =>
    new LazyStream(
      () =>
        new Promise<Duplex>((resolve, reject) => {
          use(async (connection) => {
            const stream = await connection.openSocket(socket);
            const closed = new Promise<void>((done) => stream.once('close', done));
            resolve(stream);
            await closed;
          }).catch(reject);
        }),
    );
