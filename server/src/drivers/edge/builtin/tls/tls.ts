import type { EdgeCertificate } from '../../edge.ts';
import { InvalidProjectError } from '../check-project.ts';
import type { Front } from '../front.ts';
import { type EdgeLog, logFailure } from '../log.ts';
import type { InheritedSocket } from '../process/predecessor.ts';
import type { EdgePortSettings } from '../protocol.ts';
import type { SaveSettings, Routes } from '../routes.ts';
import type { Certificates } from './certificates.ts';
import { checkCertificate } from './check-certificate.ts';
import { NoTlsError, type TlsListener } from './tls-listener.ts';

const againMs = 5000;

/** Serializes changes to the certificates and the TLS port. */
export class Tls {
  readonly #certificates: Certificates;
  readonly #door: TlsListener;
  readonly #routes: Routes;
  readonly #front: Front;
  readonly #log: EdgeLog;
  #complaint = '';

  constructor(certificates: Certificates, door: TlsListener, routes: Routes, front: Front, log: EdgeLog) {
    this.#certificates = certificates;
    this.#door = door;
    this.#routes = routes;
    this.#front = front;
    this.#log = log;
  }

  /** `socket`: the predecessor's TLS socket. */
  async begin(socket: InheritedSocket | null): Promise<void> {
    if (socket) this.#front.tlsPort = await this.#door.adopt(socket, this.#wanted);
    await this.#routes.change((remember) => this.#openIfNeeded(remember));
    // A port that is taken now may be free later.
    setInterval(() => void this.#tryAgain(), againMs).unref();
  }

  /** Rejects, and stores nothing, while there is no port for TLS. */
  async use(input: Partial<EdgeCertificate>): Promise<{ tlsPort: number }> {
    const known = checkCertificate(input);
    const certificate = input as EdgeCertificate;
    const { tlsContextOf } = await import('./tls-server.ts');
    const context = tried(() => tlsContextOf(`${certificate.chain.trim()}\n${certificate.key.trim()}\n`));
    return this.#routes.change(async (remember) => {
      const tlsPort = await this.#open(remember);
      await this.#certificates.use(certificate, known, context);
      return { tlsPort };
    });
  }

  remove(host: string): Promise<void> {
    return this.#routes.change(() => this.#certificates.remove(host));
  }

  usePorts(ports: EdgePortSettings): Promise<void> {
    return this.#routes.change(async (remember) => {
      await remember({ ports });
      this.#front.ports = ports;
      await this.#openIfNeeded(remember);
    });
  }

  async #tryAgain(): Promise<void> {
    if (this.#certificates.isEmpty || this.#routes.handedOver) return;
    const work = this.#routes.change((remember) => this.#openIfNeeded(remember));
    await work.catch(logFailure(this.#log, 'TLS'));
  }

  get #wanted(): number {
    return this.#front.ports?.tlsPort ?? 0;
  }

  async #open(remember: SaveSettings): Promise<number> {
    const tlsPort = await this.#door.open(this.#wanted, this.#routes.remembered.lastTlsPort ?? 0);
    this.#front.tlsPort = tlsPort;
    await remember({ lastTlsPort: tlsPort });
    return tlsPort;
  }

  /** A problem with the TLS port must not affect anything else. */
  async #openIfNeeded(remember: SaveSettings): Promise<void> {
    if (this.#certificates.isEmpty) return;
    try {
      await this.#open(remember);
      this.#complaint = '';
    } catch (error) {
      if (!(error instanceof NoTlsError)) throw error;
      if (error.message !== this.#complaint) this.#log(error.message);
      this.#complaint = error.message;
    }
  }
}

function tried<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    // An OpenSSL error: a key that is too short, for instance.
    throw new InvalidProjectError(`the certificate cannot be used: ${(error as Error).message}`);
  }
}
