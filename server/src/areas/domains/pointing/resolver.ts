import { lookup, Resolver } from 'node:dns/promises';
import { isAllowed, OutboundError, type OutboundReach } from '../../../lib/outbound.ts';

type Options = { servers: string[] | undefined; reach: OutboundReach };

const timeoutMs = 3000;
const textsMs = 5000;
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
/** No such name, or no record of this type. */
const nothing = new Set(['ENOTFOUND', 'ENODATA']);

/** Resolves names with the configured name servers, or those of this machine. */
export class NameResolver {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Returns the addresses of a name if all of them are allowed. Callers must connect to one of these, not to the
   * name, to prevent DNS rebinding.
   */
  async resolve(name: string): Promise<string[]> {
    const addresses = isLoopbackName(name) ? ['127.0.0.1'] : await this.#ask(name);
    if (!addresses.length) throw new OutboundError('not_found', `${name} has no A or AAAA record`);
    if (addresses.some((address) => !isAllowed(address, this.#options.reach)))
      throw new OutboundError('refused', `${name} points to an address that Mooring does not connect to`);
    return addresses;
  }

  /** Returns the TXT records of a name; none if it does not exist. */
  async texts(name: string): Promise<string[]> {
    const resolver = this.#resolver();
    // The resolver tries each server several times, so the whole lookup needs a timeout.
    const impatience = setTimeout(() => resolver.cancel(), textsMs);
    try {
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (nothing.has(code ?? '')) return [];
      throw new OutboundError('not_found', `the TXT records cannot be looked up (${code ?? message})`);
    } finally {
      clearTimeout(impatience);
    }
  }

  async #ask(name: string): Promise<string[]> {
    if (!this.#options.servers) {
      const found = await lookup(name, { all: true }).catch((error: NodeJS.ErrnoException) => {
        throw unknown(name, error);
      });
      return found.map(({ address }) => address);
    }
    const resolver = this.#resolver();
    const empty = (error: NodeJS.ErrnoException): string[] => {
      if (nothing.has(error.code ?? '')) return [];
      throw unknown(name, error);
    };
    const found = await Promise.all([resolver.resolve4(name).catch(empty), resolver.resolve6(name).catch(empty)]);
    return found.flat();
  }

  /** A new resolver each time, so that no cached answer hides a change. */
  #resolver(): Resolver {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (this.#options.servers) resolver.setServers(this.#options.servers);
    return resolver;
  }
}

const unknown = (name: string, { code, message }: NodeJS.ErrnoException): OutboundError =>
  new OutboundError('not_found', `${name} has no DNS record (${code ?? message})`);
