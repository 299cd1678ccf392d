import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ForeignListenerError, type Guarded, Listeners } from '../../host/listeners.ts';
import type { EdgeLog } from './log.ts';

type Done = (error: Error | null, socket?: Socket) => void;
export type Opener = (options: { host: string; port: number }, done: Done) => void;

const connectMs = 5000;
const sayAgainMs = 10_000;

/** Opens connections to apps whose port another process could have taken. Checks the owner of the listening socket
 * before the first byte of a request is sent. */
export class PortGuard {
  readonly #listeners = new Listeners();
  readonly #log: EdgeLog;
  readonly #saidAt = new Map<string, number>();

  constructor(log: EdgeLog) {
    this.#log = log;
  }

  open(deploymentId: string, target: Guarded, done: Done): void {
    this.#open(target).then(
      (socket) => done(null, socket),
      (error: Error) => {
        if (error instanceof ForeignListenerError) this.#say(deploymentId, error);
        done(error);
      },
    );
  }

  async #open(target: Guarded): Promise<Socket> {
    const isSame = await this.#listeners.require(target);
    const socket = await connected(target);
    if (isSame()) return socket;
    socket.destroy();
    throw new Error(`the listener on port ${target.port} has changed`);
  }

  #say(deploymentId: string, { message }: Error): void {
    const now = Date.now();
    if (now - (this.#saidAt.get(deploymentId) ?? 0) < sayAgainMs) return;
    this.#saidAt.set(deploymentId, now);
    this.#log(`${deploymentId} gets no requests: ${message}`);
  }
}

const connected = ({ host, port }: Guarded): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const patience = setTimeout(() => socket.destroy(new Error('the app refuses connections')), connectMs);
    socket.once('error', reject).once('close', () => clearTimeout(patience));
    socket.once('connect', () => {
      clearTimeout(patience);
      socket.off('error', reject);
      resolve(socket);
    });
  });

/** An agent that opens its connections with `opener`, if there is one. */
export class GuardedAgent extends Agent {
  readonly #opener: Opener | undefined;

  constructor(options: AgentOptions, opener: Opener | undefined) {
    super(options);
    this.#opener = opener;
  }

  override createConnection(
    ...[options, done]: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    if (!this.#opener) return super.createConnection(options, done);
    const { host, port } = options as ClientRequestArgs & { host: string; port: number };
    this.#opener({ host, port }, done as Done);
    return undefined;
  }
}
