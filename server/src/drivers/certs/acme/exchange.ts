import { Agent, type ClientRequestArgs, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { connectOutbound } from '../../../lib/outbound.ts';
import { CertificateError } from '../errors.ts';

export interface AcmeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

type Outgoing = { method: 'GET' | 'HEAD' | 'POST'; url: URL; body?: string; signal: AbortSignal };

const connectMs = 10_000;
/** Chains have a few kilobytes, everything else less. */
const maxBytes = 256 * 1024;

/** Connections to the authority, kept alive for one order. The instance owner chooses it, so it may be on a private
 * network. */
class AuthorityAgent extends Agent {
  readonly #ca: string | undefined;
  readonly #isSecure: boolean;

  constructor(isSecure: boolean, ca: string | undefined) {
    super({ keepAlive: true, maxSockets: 2, timeout: connectMs });
    this.#isSecure = isSecure;
    this.#ca = ca;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const bare = host!.replace(/^\[(.*)\]$/, '$1');
    connectOutbound({ host: bare, port: Number(port), reach: 'private' }, { deadlineMs: connectMs }).then(
      (socket) => {
        if (!this.#isSecure) return done!(null, socket);
        const ca = this.#ca === undefined ? {} : { ca: this.#ca };
        return done!(null, secure({ socket, host: bare, servername: isIP(bare) ? '' : bare, ...ca }));
      },
      (error: Error) => done!(error, undefined as never),
    );
  }
}

/** Sends single requests. Follows no redirects and bounds the response size. */
export class AcmeHttp {
  readonly #ca: string | undefined;
  readonly #agents = new Map<string, Agent>();

  constructor(ca: string | undefined) {
    this.#ca = ca;
  }

  async send(outgoing: Outgoing): Promise<AcmeAnswer> {
    try {
      return await this.#attempt(outgoing);
    } catch (error) {
      // A kept-alive connection may close at the moment when a request is sent.
      if (!(error instanceof IdleEndedError)) throw error;
      return this.#attempt(outgoing);
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #attempt({ method, url, body, signal }: Outgoing): Promise<AcmeAnswer> {
    const sent = request({
      agent: this.#agentFor(url),
      method,
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      path: url.pathname + url.search,
      headers: {
        host: url.host,
        'user-agent': 'mooring',
        ...(body !== undefined && {
          'content-type': 'application/jose+json',
          'content-length': Buffer.byteLength(body),
        }),
      },
      signal,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new IdleEndedError() : error),
      );
    });
    sent.end(body);
    const answer = await answered;
    return { status: answer.statusCode!, headers: answer.headers, body: await boundedText(answer) };
  }

  #agentFor({ origin, protocol }: URL): Agent {
    const agent = this.#agents.get(origin) ?? new AuthorityAgent(protocol === 'https:', this.#ca);
    this.#agents.set(origin, agent);
    return agent;
  }
}

class IdleEndedError extends Error {
  override name = 'IdleEndedError';
}

async function boundedText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop early destroys the response, and with it the connection.
    if (bytes > maxBytes)
      throw new CertificateError(
        'bad_answer',
        `the certificate authority sent more than ${maxBytes} bytes`,
        'Check MOORING_ACME_DIRECTORY.',
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
