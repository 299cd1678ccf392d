import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, createServer, type Server, type TLSSocket } from 'node:tls';
import type { Certificates } from './certificates.ts';

const handshakeMs = 10_000;
/** Maximum number of concurrent handshakes: a new one evicts the oldest. */
const mostHandshakes = 512;
const ticketSeconds = 12 * 3600;

const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** The fatal alert `unrecognized_name`. Node would close the connection silently. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/** Certificate and key may be in one PEM. An empty CA list, which only clients need, and a short cipher list save a
 * third of its memory and a sixth of the time to create it. */
export const tlsContextOf = (pem: string) => createSecureContext({ cert: pem, key: pem, ca: [], ciphers });

/** Performs TLS handshakes on plain connections. Does not listen itself. */
export class TlsServer {
  readonly #server: Server;
  /** In order of arrival. */
  readonly #handshakes = new Map<string, Socket>();

  constructor(certificates: Certificates, tickets: Buffer, take: (socket: TLSSocket) => void) {
    const handshakes = this.#handshakes;
    this.#server = createServer({
      ALPNProtocols: ['h2', 'http/1.1'],
      minVersion: 'TLSv1.2',
      ciphers,
      honorCipherOrder: true,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      handshakeTimeout: handshakeMs,
      sessionTimeout: ticketSeconds,
      ticketKeys: tickets,
      // Node would use the arguments of the process, which differ in a successor and in workers.
      sessionIdContext: 'mooring-edge',
      SNICallback(this: TLSSocket, servername, use) {
        try {
          const context = certificates.contextFor(servername.toLowerCase(), tlsContextOf);
          if (context) return use(null, context);
        } catch (error) {
          return use(error as Error);
        }
        handshakes.get(nameOf(this))?.write(unrecognizedName);
        return use(new Error('no certificate for this name'));
      },
    });
    // The client knows why its handshake failed; there is nothing to do here.
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#server.on('secureConnection', (socket) => {
      handshakes.delete(nameOf(socket));
      take(socket);
    });
  }

  useTickets(keys: Buffer): void {
    this.#server.setTicketKeys(keys);
  }

  shake(socket: Socket): void {
    const name = nameOf(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#handshakes.get(name) === socket && this.#handshakes.delete(name));
    this.#handshakes.set(name, socket);
    if (this.#handshakes.size > mostHandshakes) {
      const [oldest, loser] = this.#handshakes.entries().next().value!;
      this.#handshakes.delete(oldest);
      loser.destroy();
    }
    this.#server.emit('connection', socket);
  }
}

/** Identifies a connection by both of its ends. */
const nameOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
