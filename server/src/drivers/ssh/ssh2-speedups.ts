import { createSecretKey } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client } from 'ssh2';

/** ssh2 writes each packet in three pieces. Corks the socket so that the writes of one tick are sent together. */
export function corkWrites(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isHeld = false;
  const letGo = () => {
    isHeld = false;
    socket.uncork();
  };
  socket.write = ((...args: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      process.nextTick(letGo);
    }
    return write(...args);
  }) as typeof socket.write;
  return socket;
}

type Ciphers = { _protocol?: { _cipher?: { _encKey?: unknown }; _decipher?: { _decipherKey?: unknown } } };

/** ssh2 passes its cipher key to Node as bytes with each packet, and Node probes by exception whether they are a key
 * object: a sixth of the work of a transfer. A KeyObject avoids that. If a later ssh2 has other fields, this does
 * nothing. */
export function reuseKeyObjects(client: Client): void {
  client.on('handshake', () => {
    const { _cipher: out, _decipher: back } = (client as Ciphers)._protocol ?? {};
    if (out && Buffer.isBuffer(out._encKey)) out._encKey = createSecretKey(out._encKey);
    if (back && Buffer.isBuffer(back._decipherKey)) back._decipherKey = createSecretKey(back._decipherKey);
  });
}
