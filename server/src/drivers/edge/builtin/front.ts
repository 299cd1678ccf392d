import type { Ports } from './protocol.ts';

type Secure = { isUsable(host: string): boolean };

/** What visitors see of us: the ports that they come to, and for which names we can prove who we are. */
export class Front {
  /** Where we listen. */
  port = 0;
  /** Null while there is no certificate. */
  tlsPort: number | null = null;
  ports: Ports | null;
  readonly #certificates: Secure;

  constructor(ports: Ports | null, certificates: Secure) {
    this.ports = ports;
    this.#certificates = certificates;
  }

  publicPort(secure: boolean): number {
    return secure ? (this.ports?.publicTlsPort ?? this.tlsPort ?? 443) : (this.ports?.publicPort ?? this.port);
  }

  /** Whether who comes by HTTPS is answered under this name. */
  isSecure(host: string): boolean {
    return this.tlsPort !== null && this.#certificates.isUsable(host);
  }
}
