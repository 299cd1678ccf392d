import type { Listening, Runtime } from '../../../drivers/runtime/runtime.ts';

/** Something else listens than what requests get to. */
export type PortTrouble = {
  sentence: string;
  /** The right port, but on loopback: that does not change by waiting. */
  isLoopbackOnly: boolean;
  ports: number[];
  /** A port where requests would get to it, if the project named it. */
  nameable: number | undefined;
};

const mostShown = 3;

/** Undefined while it listens nowhere yet, and when it listens where it should. */
export function portTrouble({ sockets, port, isReached }: Listening, isService = false): PortTrouble | undefined {
  if (!sockets.length || sockets.some(isReached)) return undefined;
  const places = [...new Set(sockets.map((socket) => placeOf(socket)))];
  const shown = places.slice(0, mostShown).join(' and ');
  const isLoopbackOnly = sockets.some((socket) => socket.port === port);
  // A service is told its port by nobody but its own file.
  const sentence = isService
    ? `listens on ${shown}. It must listen on 0.0.0.0:${port}`
    : `The app listens on ${shown}. It must listen on 0.0.0.0:$PORT (PORT is ${port})`;
  const nameable = sockets.find((socket) => isReached({ ...socket, port }))?.port;
  return { sentence, isLoopbackOnly, ports: sockets.map((socket) => socket.port), nameable };
}

const placeOf = ({ address, port }: { address: string; port: number }): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

const firstLookMs = 2000;
const everyMs = 1000;
/** How long an app may go on listening where nothing reaches it. One on another port may still be opening its own. */
const graceMs = { loopback: 15_000, otherPort: 30_000 };
/** The same for that long: it is not in the middle of its start. */
const steadyMs = 5000;

type Target = { runtime: Runtime; deploymentId: string; service?: string; isApp?: boolean };

/** Looks now and then at what an app listens on that does not answer. */
export class PortWatch {
  readonly #target: Target;
  readonly #say: (trouble: PortTrouble) => unknown;
  readonly #since = Date.now();
  #nextLook = this.#since + firstLookMs;
  #seen: (PortTrouble & { since: number }) | undefined;

  constructor(target: Target, say: (trouble: PortTrouble) => unknown) {
    this.#target = target;
    this.#say = say;
  }

  /** What is wrong, once it is certain enough not to wait any longer. */
  async certain(): Promise<PortTrouble | undefined> {
    if (Date.now() >= this.#nextLook) await this.#look();
    if (!this.#seen) return undefined;
    const grace = this.#seen.isLoopbackOnly ? graceMs.loopback : graceMs.otherPort;
    const isSteady = Date.now() - this.#seen.since >= steadyMs;
    return isSteady && Date.now() - this.#since >= grace ? this.#seen : undefined;
  }

  /** What was seen last. */
  get trouble(): PortTrouble | undefined {
    return this.#seen;
  }

  async #look(): Promise<void> {
    const { runtime, deploymentId, service, isApp = true } = this.#target;
    const listening = await runtime.listening?.(deploymentId, service);
    const found = listening && portTrouble(listening, !isApp);
    if (found && found.sentence !== this.#seen?.sentence) {
      this.#seen = { ...found, since: Date.now() };
      await this.#say(found);
    } else if (!found) this.#seen = undefined;
    this.#nextLook = Date.now() + everyMs;
  }
}
