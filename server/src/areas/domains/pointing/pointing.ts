import { request } from 'node:http';
import { connectOutbound, OutboundError, type Reach } from '../../../lib/outbound.ts';
import type { Leads } from '../certificates/names-port.ts';
import type { Pointing as Seen } from '../domains/schemas.ts';
import type { Proofs } from '../proofs/proofs.ts';
import type { NameResolver } from './resolver.ts';

type Options = {
  proofs: Proofs;
  resolver: NameResolver;
  reach: Reach;
  /** Where visitors without TLS come to. */
  port: () => number;
  /** Addresses that names have to lead to, where they are known. */
  addresses: readonly string[];
  /** How long one look may take. */
  withinMs?: number;
};

const deadlineMs = 8000;
const lookMs = 20_000;
const longestAnswer = 200;

/** Whether a name leads here: by asking for something under it that only we can know. */
export class Pointing {
  readonly #on: Options;

  constructor(options: Options) {
    this.#on = options;
  }

  async check(name: string, signal: AbortSignal): Promise<Leads> {
    let addresses: string[] = [];
    // A name can have any number of addresses, each of which takes its time.
    const stop = AbortSignal.any([signal, AbortSignal.timeout(this.#on.withinMs ?? lookMs)]);
    try {
      addresses = await this.#on.resolver.resolve(name);
      return await this.#on.proofs.with(name, async ({ token, answer }) => {
        for (const address of addresses) {
          const found = await this.#ask(name, address, token, stop);
          if (found !== answer) return { addresses, ...this.#elsewhere(name, address) };
        }
        return { addresses, ok: true as const };
      });
    } catch (error) {
      signal.throwIfAborted();
      const known = stop.aborted ? new OutboundError('timeout', `${name} takes too long to answer`) : error;
      if (!(known instanceof OutboundError)) throw known;
      const { code, message } = known;
      return { addresses, ok: false, status: statusOf[code], message, fix: this.#fixOf(name, code) };
    }
  }

  /** The same, as it is kept and shown. */
  async look(name: string): Promise<Seen> {
    return seen(name, await this.check(name, new AbortController().signal));
  }

  #elsewhere(name: string, address: string) {
    return {
      ok: false as const,
      status: 'elsewhere' as const,
      message: `${name} leads to ${address}, where somebody else answers`,
      fix: `Point the A and AAAA records of ${name} to ${this.#here()}, and remove those that lead elsewhere.`,
    };
  }

  #fixOf(name: string, code: OutboundError['code']): string {
    if (code === 'not_found')
      return `Create an A record for ${name} that leads to ${this.#here()}; new ones need a while until everybody sees them.`;
    if (code === 'refused') return `Point ${name} to an address of this machine that can be reached from outside.`;
    return `Open port ${this.#on.port()} to visitors, and let it lead to the edge of this machine.`;
  }

  #here(): string {
    return this.#on.addresses.join(' or ') || 'this machine';
  }

  /** What is answered there; undefined for anything that is no answer of ours. */
  async #ask(name: string, address: string, token: string, signal: AbortSignal): Promise<string | undefined> {
    const { reach } = this.#on;
    const port = this.#on.port();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const socket = await connectOutbound({ host: address, port, reach }, { deadlineMs, signal });
    const host = port === 80 ? name : `${name}:${port}`;
    const path = `/.well-known/acme-challenge/${token}`;
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        const call = request({ createConnection: () => socket, path, headers: { host }, signal: stop });
        call.once('error', reject);
        call.once('response', (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
            if (text.length > longestAnswer) answer.destroy();
          });
          answer.once('close', () => resolve(answer.statusCode === 200 ? text.trim() : undefined));
        });
        call.end();
      });
    } catch (error) {
      signal.throwIfAborted();
      const { code, message } = error as NodeJS.ErrnoException;
      throw new OutboundError('unreachable', `${name} (${address}) does not answer (${code ?? message})`);
    } finally {
      socket.destroy();
    }
  }
}

/** What was found, in words. */
export function seen(name: string, leads: Leads): Seen {
  const { addresses } = leads;
  if (leads.ok) return { status: 'here', message: `${name} leads here`, fix: null, addresses };
  const { status, message, fix } = leads;
  return { status, message, fix, addresses };
}

const statusOf = {
  not_found: 'not_found',
  refused: 'elsewhere',
  unreachable: 'unreachable',
  timeout: 'unreachable',
} as const satisfies Record<OutboundError['code'], string>;
