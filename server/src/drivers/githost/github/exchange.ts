import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type OutboundOptions, OutboundAgent } from '../../../lib/outbound-agent.ts';
import { GitHostError } from '../errors.ts';

export interface GitHubRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | undefined;
  maxBytes: number;
  signal: AbortSignal;
  /** Uses a new connection: the host may close an idle one just as a request is sent that cannot be retried. */
  isAlone: boolean;
}

export interface GitHubResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends requests to the addresses of one host over pooled connections. */
export class GitHubHttp {
  readonly #line: OutboundOptions;
  readonly #agents = new Map<string, Agent>();

  constructor(line: OutboundOptions) {
    this.#line = line;
  }

  async send({ method, url, headers, body, maxBytes, signal, isAlone }: GitHubRequest): Promise<GitHubResponse> {
    const sent = request({
      agent: this.#agent(url, isAlone),
      method,
      host: url.hostname,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) },
      signal,
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.on('error', reject);
    });
    sent.end(body);
    const answer = await answered;
    return { status: answer.statusCode!, headers: answer.headers, body: await boundedText(answer, maxBytes) };
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent({ origin, protocol }: URL, isAlone: boolean): Agent {
    const name = `${origin} ${isAlone}`;
    const agent = this.#agents.get(name) ?? new OutboundAgent(this.#line, protocol === 'https:', !isAlone);
    this.#agents.set(name, agent);
    return agent;
  }
}

async function boundedText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop early destroys the response and its connection.
    if (bytes > maxBytes)
      throw new GitHostError('unavailable', `the git host sent more than ${maxBytes} bytes, more than expected`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
