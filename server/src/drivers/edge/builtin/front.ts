import type { Visitor } from './exchange.ts';
import type { Ports } from './protocol.ts';
import { TrustedProxies } from './trusted-proxies.ts';

type Secure = { isUsable(host: string): boolean };

/** What visitors see of us: the ports that they come to, who may stand in front of us, and for which names we can prove who we
 * are. */
export class Front {
  /** Where we listen. */
  port = 0;
  /** Null while there is no certificate. */
  tlsPort: number | null = null;
  ports: Ports | null;
  readonly proxies = new TrustedProxies();
  readonly #certificates: Secure;

  constructor(ports: Ports | null, certificates: Secure) {
    this.ports = ports;
    this.#certificates = certificates;
  }

  publicPort(secure: boolean): number {
    return secure ? (this.ports?.publicTlsPort ?? this.tlsPort ?? 443) : (this.ports?.publicPort ?? this.port);
  }

  /** The one that this visitor came to. */
  portFor({ port, https }: Visitor): number {
    return port ?? this.publicPort(https);
  }

  /** Whether who comes by HTTPS is answered under this name. */
  isSecure(host: string): boolean {
    return this.tlsPort !== null && this.#certificates.isUsable(host);
  }
}
