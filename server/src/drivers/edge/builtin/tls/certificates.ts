import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecureContext } from 'node:tls';
import type { EdgeCertificate } from '../../edge.ts';
import { type EdgeLog, logFailure } from '../log.ts';
import { fsyncFolder, writeWhole } from '../state.ts';
import { describe, expiryOf, isCertificateName, type KnownCertificate } from './check-certificate.ts';

/** Creates the TLS context of a certificate and its key. */
export type MakeContext = (pem: string) => SecureContext;

/** A context takes about 30 KB. Creating one costs a fraction of a handshake. */
const mostContexts = 128;

/** The certificates that the edge presents: one file per name, so that the edge serves without the service. */
export class Certificates {
  readonly #folder: string;
  readonly #log: EdgeLog;
  readonly #known = new Map<string, KnownCertificate>();
  /** Expiry times, computed on first use. */
  readonly #ends = new WeakMap<KnownCertificate, number>();
  /** Least recently used first. */
  readonly #contexts = new Map<string, SecureContext>();

  readonly #onChange: (host: string) => Promise<void>;

  /** A change resolves only after `onChange`. */
  constructor(folder: string, log: EdgeLog, onChange: (host: string) => Promise<void> = async () => {}) {
    this.#folder = folder;
    this.#log = log;
    this.#onChange = onChange;
    mkdirSync(folder, { recursive: true });
    // The edge's umask is for files; a folder needs the execute bit.
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder).filter(isCertificateName)) {
      try {
        this.#known.set(name, describe(name, this.#read(name)));
      } catch (error) {
        logFailure(log, `the certificate of ${name} cannot be read`)(error);
      }
    }
  }

  list(): { host: string; fingerprint: string }[] {
    return [...this.#known.values()].map(({ host, fingerprint }) => ({ host, fingerprint }));
  }

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Whether there is an unexpired certificate for the host. */
  isUsable(host: string): boolean {
    const known = this.#for(host);
    if (!known) return false;
    let end = this.#ends.get(known);
    if (end === undefined) this.#ends.set(known, (end = this.#endOf(known.host)));
    return end > Date.now();
  }

  #endOf(host: string): number {
    try {
      return expiryOf(this.#read(host));
    } catch (error) {
      logFailure(this.#log, `the certificate of ${host} cannot be read`)(error);
      return 0;
    }
  }

  /** Returns the context for a handshake; null for a name without a certificate. */
  contextFor(servername: string, make: MakeContext): SecureContext | null {
    const host = this.#for(servername)?.host;
    if (host === undefined) return null;
    return this.#keep(host, this.#contexts.get(host) ?? make(this.#read(host)));
  }

  /** Stores the certificate and puts it in use. `known` and `context` must be made from it. */
  async use({ host, chain, key }: EdgeCertificate, known: KnownCertificate, context: SecureContext): Promise<void> {
    await writeWhole(join(this.#folder, host), join(this.#folder, '.draft'), `${chain.trim()}\n${key.trim()}\n`);
    this.#known.set(host, known);
    this.#keep(host, context);
    await this.#onChange(host);
  }

  async remove(host: string): Promise<void> {
    if (!this.#known.has(host)) return;
    await rm(join(this.#folder, host), { force: true });
    await fsyncFolder(this.#folder);
    this.#known.delete(host);
    this.#drop(host);
    await this.#onChange(host);
  }

  /** Reads a certificate again that another process has replaced or removed. */
  reload(host: string): void {
    this.#known.delete(host);
    this.#drop(host);
    try {
      this.#known.set(host, describe(host, this.#read(host)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      logFailure(this.#log, `the certificate of ${host} cannot be read`)(error);
    }
  }

  #for(name: string): KnownCertificate | undefined {
    return this.#known.get(name) ?? this.#known.get(`*${name.slice(name.indexOf('.'))}`);
  }

  #keep(host: string, context: SecureContext): SecureContext {
    if (this.#contexts.get(host) === context) this.#contexts.delete(host);
    else this.#drop(host);
    this.#contexts.set(host, context);
    if (this.#contexts.size > mostContexts) this.#drop(this.#contexts.keys().next().value!);
    return context;
  }

  /** The memory belongs to OpenSSL and V8 does not know its size, so it would stay until something else fills the
   * heap. Connections in use keep their own reference. */
  #drop(host: string): void {
    (this.#contexts.get(host)?.context as { close?(): void } | undefined)?.close?.();
    this.#contexts.delete(host);
  }

  #read = (host: string): string => readFileSync(join(this.#folder, host), 'utf8');
}
