import { Agent, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as secure, getCACertificates } from 'node:tls';
import { connectOutbound, type OutboundReach } from './outbound.ts';

/** Allowed targets, and an additional CA. */
export type OutboundOptions = { reach: OutboundReach; ca: string | undefined };

const connectMs = 10_000;
const idleMs = 15_000;

/** Connections are only reused by their owner, so that no owner waits for another's. */
export type AgentSocketOwner = { owner?: string };

/** Connections that obey `lib/outbound.ts` and are kept alive for a while. */
export class OutboundAgent extends Agent {
  readonly #line: OutboundOptions;
  readonly #isSecure: boolean;

  constructor(line: OutboundOptions, isSecure: boolean, keepAlive: boolean, maxSockets = 8) {
    super({ keepAlive, maxSockets, maxFreeSockets: 8, timeout: idleMs });
    this.#line = line;
    this.#isSecure = isSecure;
  }

  // The connection limit applies per name; a name's state is dropped with its last connection.
  override getName(options?: ClientRequestArgs & AgentSocketOwner): string {
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

// IP addresses are not allowed as a TLS server name.
const servername = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host);
