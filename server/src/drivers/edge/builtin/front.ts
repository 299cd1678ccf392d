import { plainAddress, type Visitor } from './exchange.ts';
import type { EdgePorts } from './protocol.ts';
import type { Socket } from 'node:net';
import { AddressLimit, usualPerAddress } from './limits/address-limit.ts';
import { TrustedProxies } from './trusted-proxies.ts';

type Secure = { isUsable(host: string): boolean };

/** What visitors see of us: the ports that they come to, who may stand in front of us, and for which names we can prove who we
 * are. */
export class Front {
  /** Where we listen. */
  port = 0;
  /** Null while there is no certificate. */
  tlsPort: number | null = null;
  ports: EdgePorts | null;
  readonly proxies = new TrustedProxies();
  /** How many connections and how many requests one client address may have open; 0: any number. */
  perAddress = usualPerAddress;
  readonly #connections = new AddressLimit();
  readonly #requests = new AddressLimit();
  readonly #certificates: Secure;

  constructor(ports: EdgePorts | null, certificates: Secure) {
    this.ports = ports;
    this.#certificates = certificates;
  }

  /** Counts a connection, unless its address has too many. Trusted proxies may have any number. */
  admit(socket: Socket): boolean {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (this.proxies.trusts(address)) return true;
    const leave = this.#connections.enter(address, this.perAddress);
    if (leave) socket.once('close', leave);
    return leave !== null;
  }

  /** The same for a request; gives what is called when it is over, or null. */
  enter({ address }: Visitor): (() => void) | null {
    return this.proxies.trusts(address) ? () => {} : this.#requests.enter(address, this.perAddress);
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
