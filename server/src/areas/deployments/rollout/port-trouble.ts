import type { Listening, Runtime } from '../../../drivers/runtime/runtime.ts';

/** The app listens, but not where requests arrive. */
export type PortTrouble = {
  sentence: string;
  /** The right port, but on loopback: waiting does not help. */
  isLoopbackOnly: boolean;
  ports: number[];
  /** A port at which requests would arrive if the project named it. */
  nameable: number | undefined;
  /** Such a port, if the app listens on no other and chose this one itself. */
  onlyPort: number | undefined;
};

const mostShown = 3;
/** From here up, the kernel assigns ports, and others after a restart. */
const firstEphemeral = 32_768;

/** Returns undefined while nothing listens, and if the app listens where it should. */
export function portTrouble({ sockets, port, isReached }: Listening, isService = false): PortTrouble | undefined {
  if (!sockets.length || sockets.some(isReached)) return undefined;
  const places = [...new Set(sockets.map((socket) => placeOf(socket)))];
  const shown = places.slice(0, mostShown).join(' and ');
  const isLoopbackOnly = sockets.some((socket) => socket.port === port);
  // A compose service learns its port only from its own file.
  const sentence = isService
    ? `listens on ${shown}. It must listen on 0.0.0.0:${port}`
    : `The app listens on ${shown}. It must listen on 0.0.0.0:$PORT (PORT is ${port})`;
  const nameable = sockets.find((socket) => isReached({ ...socket, port }))?.port;
  const ports = sockets.map((socket) => socket.port);
  const onlyPort = new Set(ports).size === 1 && nameable! < firstEphemeral ? nameable : undefined;
  return { sentence, isLoopbackOnly, ports, nameable, onlyPort };
}

const placeOf = ({ address, port }: { address: string; port: number }): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

const firstLookMs = 2000;
const everyMs = 1000;
/** How long an app may listen where nothing reaches it. One on another port may still be opening the right one. */
const graceMs = { loopback: 15_000, onlyPort: 15_000, otherPort: 30_000 };
/** How long the sockets must stay the same before the app counts as started. */
const steadyMs = 5000;

type Target = { runtime: Runtime; deploymentId: string; service?: string; isApp?: boolean };

/** Periodically checks where an unresponsive app listens. */
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

  /** Returns the trouble once it is certain enough to stop waiting. */
  async certain(): Promise<PortTrouble | undefined> {
    if (Date.now() >= this.#nextLook) await this.#look();
    if (!this.#seen) return undefined;
    const { isLoopbackOnly, onlyPort } = this.#seen;
    const canFollow = onlyPort !== undefined && this.#target.runtime.follow !== undefined;
    const grace = isLoopbackOnly ? graceMs.loopback : canFollow ? graceMs.onlyPort : graceMs.otherPort;
    const isSteady = Date.now() - this.#seen.since >= steadyMs;
    return isSteady && Date.now() - this.#since >= grace ? this.#seen : undefined;
  }

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
