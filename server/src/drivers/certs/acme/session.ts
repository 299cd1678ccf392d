import { OutboundError } from '../../../lib/outbound.ts';
import { CertificateError } from '../errors.ts';
import { type AcmeAnswer, AcmeHttp } from './exchange.ts';
import type { AccountKey } from './jws.ts';
import { acmeErrorOf, problemOf } from './problem.ts';
import { acmeUrl, badAnswer, type AcmeDirectory, directoryIn, isObject } from './shapes.ts';

type Options = { directory: string; ca: string | undefined; key: AccountKey; signal: AbortSignal };

/** A nonce may be rejected through no fault of ours, but not more often than this. */
const mostNonces = 12;
const mostKept = 8;

/** Requests of one order: signed with the account key, each with a nonce of the authority. */
export class AcmeSession {
  readonly key: AccountKey;
  readonly signal: AbortSignal;
  readonly #exchange: AcmeHttp;
  readonly #address: URL;
  readonly #nonces: string[] = [];
  #directory: Promise<AcmeDirectory> | undefined;
  /** Account URL; until it is known, requests carry the public key instead. */
  accountUrl: string | null = null;

  constructor({ directory, ca, key, signal }: Options) {
    this.key = key;
    this.signal = signal;
    this.#exchange = new AcmeHttp(ca);
    this.#address = acmeUrl(directory, 'MOORING_ACME_DIRECTORY');
  }

  directory(): Promise<AcmeDirectory> {
    return (this.#directory ??= this.#readDirectory());
  }

  /** Reads a resource of the authority. */
  read(url: URL): Promise<AcmeAnswer> {
    return this.post(url, undefined);
  }

  /** Throws errors of the authority as a `CertificateError`. */
  async post(url: URL, payload: object | undefined): Promise<AcmeAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#postOnce(url, payload);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const problem = problemIn(answer);
      if (problem.type !== 'badNonce' || attempt === mostNonces) throw acmeErrorOf(problem, answer);
    }
  }

  close(): void {
    this.#exchange.close();
  }

  async #postOnce(url: URL, payload: object | undefined): Promise<AcmeAnswer> {
    const who = this.accountUrl === null ? { jwk: this.key.publicJwk } : { kid: this.accountUrl };
    const header = { nonce: this.#nonces.pop() ?? (await this.#newNonce()), url: url.href, ...who };
    return this.#send('POST', url, JSON.stringify(this.key.sign(header, payload)));
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory();
    const answer = await this.#send('HEAD', newNonce);
    const nonce = this.#nonces.pop();
    if (nonce === undefined)
      throw answer.status >= 400 ? acmeErrorOf(problemIn(answer), answer) : badAnswer('no nonce');
    return nonce;
  }

  async #readDirectory(): Promise<AcmeDirectory> {
    const answer = await this.#send('GET', this.#address);
    if (answer.status !== 200) throw acmeErrorOf(problemIn(answer), answer);
    return directoryIn(answer.body);
  }

  async #send(method: 'GET' | 'HEAD' | 'POST', url: URL, body?: string): Promise<AcmeAnswer> {
    try {
      const call = { method, url, signal: this.signal, ...(body !== undefined && { body }) };
      const answer = await this.#exchange.send(call);
      const nonce = answer.headers['replay-nonce'];
      if (typeof nonce === 'string' && /^[\w-]{1,200}$/.test(nonce)) this.#nonces.push(nonce);
      if (this.#nonces.length > mostKept) this.#nonces.shift();
      return answer;
    } catch (error) {
      this.signal.throwIfAborted();
      throw error instanceof CertificateError ? error : noAnswer(error, url);
    }
  }
}

function problemIn({ body, status }: AcmeAnswer) {
  if (status >= 300 && status < 400) throw badAnswer('it redirects to another host, which Mooring does not follow');
  try {
    const value: unknown = JSON.parse(body);
    return problemOf(isObject(value) ? value : undefined);
  } catch {
    // Not JSON, as from a proxy in between: only the status is known.
    return problemOf(undefined);
  }
}

function noAnswer(error: unknown, { host }: URL): CertificateError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why = error instanceof OutboundError ? message : (code ?? message);
  return new CertificateError(
    'unreachable',
    `the certificate authority at ${host} cannot be reached (${why})`,
    'Mooring retries automatically. If this persists, check MOORING_ACME_DIRECTORY, MOORING_ACME_CA_FILE and the outgoing connections of this machine.',
    { cause: error },
  );
}
