import { request } from 'node:http';
import { connectOutbound, OutboundError, type OutboundReach } from '../../../lib/outbound.ts';
import type { PointingResult } from '../certificates/certificate-names-port.ts';
import type { DomainCheck as Seen } from '../domains/schemas.ts';
import { type EdgeLocation, portOf } from '../edges/edge-location.ts';
import { ChallengeNotDeliveredError, type Proofs } from '../proofs/proofs.ts';
import type { NameResolver } from './resolver.ts';
import { pointsElsewhere, pointingFix, describePointing, pointingMessages } from './messages.ts';

type Options = {
  proofs: Proofs;
  resolver: NameResolver;
  reach: OutboundReach;
  /** Of a router in front of this machine. */
  publicAddresses?: readonly string[] | undefined;
  /** Timeout of one check. */
  withinMs?: number;
};

const deadlineMs = 8000;
const lookMs = 20_000;
const longestAnswer = 200;

/** Checks whether a name points to its edge, by requesting a random token that only that edge can answer. */
export class DomainPointing {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async check(name: string, place: EdgeLocation, signal: AbortSignal): Promise<PointingResult> {
    let addresses: string[] = [];
    // A name can have many slow addresses, and the server may be slow, so the whole check has a timeout.
    const stop = AbortSignal.any([signal, AbortSignal.timeout(this.#options.withinMs ?? lookMs)]);
    try {
      addresses = await this.#options.resolver.resolve(name);
      const look = this.#options.proofs.with(name, place, async ({ token, answer }) => {
        for (const address of addresses) {
          // Many routers refuse or answer connections from inside to their own public address.
          if (place.serverId === null && this.#options.publicAddresses?.includes(address)) continue;
          const found = await this.#ask(name, { address, port: portOf(place, { secure: false }) }, token, stop);
          if (found !== answer) return { addresses, ...(await pointsElsewhere(name, address, place)) };
        }
        return { addresses, ok: true as const };
      });
      // Local requests end with the signal; a call to a server may take longer and is abandoned.
      return await (place.serverId === null ? look : orAborted(look, stop));
    } catch (error) {
      signal.throwIfAborted();
      const { message, fix, status } = await this.#explain(name, place, stop.aborted ? tooLong(name) : error);
      return { addresses, ok: false, status, message, fix };
    }
  }

  /** Like `check`, in the form that is stored and shown. */
  async look(name: string, place: EdgeLocation): Promise<Seen> {
    return describePointing(name, await this.check(name, place, new AbortController().signal), place);
  }

  async #explain(name: string, place: EdgeLocation, error: unknown) {
    if (error instanceof ChallengeNotDeliveredError)
      return { status: 'unreachable' as const, message: error.message, fix: error.hint };
    if (!(error instanceof OutboundError)) throw error;
    const { code, message } = error;
    return { status: pointingMessages[code], message, fix: await pointingFix(name, code, place) };
  }

  /** Returns the response text; undefined for anything but a 200. */
  async #ask(
    name: string,
    { address, port }: { address: string; port: number },
    token: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { reach } = this.#options;
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
      throw new OutboundError('unreachable', `${name} (${address}) does not respond (${code ?? message})`);
    } finally {
      socket.destroy();
    }
  }
}

const tooLong = (name: string) => new OutboundError('timeout', `${name} takes too long to respond`);

/** Rejects on abort without cancelling `work`. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
