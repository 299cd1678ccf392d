import { plainAddress, type Visitor } from './exchange.ts';
import type { EdgePortSettings } from './protocol.ts';
import type { Socket } from 'node:net';
import { AddressLimit, usualPerAddress } from './limits/address-limit.ts';
import { TrustedProxies } from './trusted-proxies.ts';

type Secure = { isUsable(host: string): boolean };

/** The edge as clients see it: its ports, the trusted proxies, and the hosts that have a certificate. */
export class Front {
  /** The port that the edge listens on. */
  port = 0;
  /** Null while there is no certificate. */
  tlsPort: number | null = null;
  ports: EdgePortSettings | null;
  readonly proxies = new TrustedProxies();
  /** Maximum number of open connections, and of open requests, per client address; 0: unlimited. */
  perAddress = usualPerAddress;
  readonly #connections = new AddressLimit();
  readonly #requests = new AddressLimit();
  readonly #certificates: Secure;

  constructor(ports: EdgePortSettings | null, certificates: Secure) {
    this.ports = ports;
    this.#certificates = certificates;
  }

  /** Counts a connection, unless its address is over the limit. Trusted proxies are exempt. */
  admit(socket: Socket): boolean {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (this.proxies.trusts(address)) return true;
    const leave = this.#connections.enter(address, this.perAddress);
    if (leave) socket.once('close', leave);
    return leave !== null;
  }

  /** Counts a request likewise; returns the function that ends it, or null when over the limit. */
  enter({ address }: Visitor): (() => void) | null {
    return this.proxies.trusts(address) ? () => {} : this.#requests.enter(address, this.perAddress);
  }

  publicPort(secure: boolean): number {
    return secure ? (this.ports?.publicTlsPort ?? this.tlsPort ?? 443) : (this.ports?.publicPort ?? this.port);
  }

  /** Returns the port that this client connected to. */
  portFor({ port, https }: Visitor): number {
    return port ?? this.publicPort(https);
  }

  /** Whether HTTPS requests to this host can be served. */
  isSecure(host: string): boolean {
    return this.tlsPort !== null && this.#certificates.isUsable(host);
  }
}
