import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as secure, getCACertificates } from 'node:tls';
import { connectOutbound, type Reach } from './outbound.ts';

/** Where connections may go, and whom they trust beside the usual authorities. */
export type Line = { reach: Reach; ca: string | undefined };

const connectMs = 10_000;
const idleMs = 15_000;

/** Whose connection it is: those of one are not given to another, and so nobody waits for another's. */
export type ConnectionOwner = { owner?: string };

/** Connections that go only where `lib/outbound.ts` lets them, and are kept for a while. */
export class OutboundAgent extends Agent {
  readonly #line: Line;
  readonly #isSecure: boolean;

  constructor(line: Line, isSecure: boolean, keepAlive: boolean, maxSockets = 8) {
    super({ keepAlive, maxSockets, maxFreeSockets: 8, timeout: idleMs });
    this.#line = line;
    this.#isSecure = isSecure;
  }

  // As many as it may have it has for each name; what is under a name goes with its last connection.
  override getName(options?: ClientRequestArgs & ConnectionOwner): string {
    return `${super.getName(options)}:${options?.owner ?? ''}`;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { reach, ca } = this.#line;
    const bare = host!.replace(/^\[(.*)\]$/, '$1');
    connectOutbound({ host: bare, port: Number(port), reach }, { deadlineMs: connectMs }).then(
      (socket) =>
        done!(
          null,
          this.#isSecure
            ? secure({
                socket,
                host: bare,
                servername: servername(bare),
                ...(ca && { ca: [...getCACertificates(), ca] }),
              })
            : socket,
        ),
      (error: Error) => done!(error, undefined as never),
    );
  }
}

// Addresses have no place in a TLS server name.
const servername = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host);
