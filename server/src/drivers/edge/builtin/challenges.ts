import { type IncomingMessage, request as send } from 'node:http';
import type { ClientExchange } from './exchange.ts';
import { challengeResponseFor, type ChallengeResponses } from './challenge-responses.ts';
import { askedHostHeader, type ServiceAddress } from './protocol.ts';

const path = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/;
const answerMs = 3000;
const mostBytes = 4096;
const mostAtOnce = 16;
const mostPerSecond = 50;

/** Returns the response to a challenge; null if there is none. */
export type AskService = (url: string, host: string) => Promise<Buffer | null>;

/** Answers ACME HTTP-01 challenges: the service has the responses, or has stored them in the edge beforehand. */
export class Challenges {
  /** Null until the service has registered its address. */
  service: ServiceAddress | null;
  given: ChallengeResponses = {};
  #atOnce = 0;
  #second = 0;
  #inSecond = 0;

  readonly #through: AskService | null;

  /** `through`: what asks the service instead of this process. */
  constructor(service: ServiceAddress | null, through: AskService | null = null) {
    this.service = service;
    this.#through = through;
  }

  isOne({ request, asked }: ClientExchange): boolean {
    return asked.path.startsWith('/.well-known/acme') && isRead(request.method) && path.test(asked.path);
  }

  /** Returns false when the service does not know the token, is down or over the rate limit; the request is then
   * routed normally. */
  async answer({ request, response, asked, client }: ClientExchange): Promise<boolean> {
    const text =
      challengeResponseFor(this.given, path.exec(asked.path)![1]!) ?? (await this.ask(asked.path, asked.host));
    if (text === null || client.destroyed) return client.destroyed;
    response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Length': text.length,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(request.method === 'HEAD' ? undefined : text);
    return true;
  }

  /** Asks the service, unless it is asked too often. */
  async ask(url: string, host: string): Promise<Buffer | null> {
    if (!this.service || !this.#mayAsk()) return null;
    this.#atOnce++;
    const answer = this.#through ? this.#through(url, host) : ask(this.service, url, host);
    return answer.finally(() => this.#atOnce--);
  }

  #mayAsk(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    return this.#atOnce < mostAtOnce && ++this.#inSecond <= mostPerSecond;
  }
}

const isRead = (method: string | undefined): boolean => method === 'GET' || method === 'HEAD';

/** Returns the service's response; null for anything but a short 200. */
function ask({ host, port }: ServiceAddress, url: string, askedHost: string): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(answerMs);
    const question = send({ host, port, path: url, agent: false, signal, headers: { [askedHostHeader]: askedHost } });
    // A service that is down, slow or disconnects counts as not knowing the token.
    question.once('error', () => resolve(null)).once('close', () => resolve(null));
    question.once('response', (answer) => {
      if (answer.statusCode === 200) readShort(answer).then(resolve, () => resolve(null));
      else question.destroy();
    });
    question.end();
  });
}

async function readShort(answer: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    if ((size += (chunk as Buffer).length) > mostBytes) return null;
  }
  return Buffer.concat(chunks);
}
