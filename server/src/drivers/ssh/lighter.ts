import { createSecretKey } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Client } from 'ssh2';

/** ssh2 writes each packet in three pieces. What is written in one go of the event loop is sent in one. */
export function sendTogether(socket: Socket): Socket {
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

/** ssh2 hands its key to Node as bytes with each packet, and Node tries by an exception whether they are a key already:
 * that is a sixth of all the work of a transfer. It takes a key just as well. Where a later ssh2 has other fields, nothing
 * is changed and nothing breaks. */
export function keepKeys(client: Client): void {
  client.on('handshake', () => {
    const { _cipher: out, _decipher: back } = (client as Ciphers)._protocol ?? {};
    if (out && Buffer.isBuffer(out._encKey)) out._encKey = createSecretKey(out._encKey);
    if (back && Buffer.isBuffer(back._decipherKey)) back._decipherKey = createSecretKey(back._decipherKey);
  });
}
