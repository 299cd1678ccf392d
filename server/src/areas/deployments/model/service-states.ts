import type { EventType } from '../../../events/event-log.ts';
import type { ServiceState } from './stack.ts';

type Said = { type: EventType; data: Record<string, unknown> };
type Write = (services: string, said: Said[]) => Promise<void>;

/** States of a deployment's services, written under its lease one after the other. Status changes are streamed. */
export class ServiceStates {
  #states: ServiceState[];
  readonly #write: Write;
  readonly #redact: (text: string) => string;
  #last: Promise<void> = Promise.resolve();

  /** The last output of a service is part of its error, so it is redacted. */
  constructor(states: ServiceState[], write: Write, redact: (text: string) => string) {
    this.#states = states;
    this.#write = write;
    this.#redact = redact;
  }

  all(): readonly ServiceState[] {
    return this.#states;
  }

  of(name: string): ServiceState {
    const found = this.#states.find((state) => state.name === name);
    if (!found) throw new Error(`there is no service ${name} in this deployment`);
    return found;
  }

  /** Resolves once the state is in the database. */
  async set(name: string, change: Partial<ServiceState>): Promise<void> {
    const before = this.of(name).status;
    const error = change.error && { ...change.error, message: this.#redact(change.error.message) };
    const hidden = error ? { ...change, error } : change;
    this.#states = this.#states.map((state) => (state.name === name ? { ...state, ...hidden } : state));
    const now = this.of(name);
    const said = { name, status: now.status, error: now.error?.message ?? null };
    await this.#save(now.status === before ? [] : [said]);
  }

  async replaceAll(states: ServiceState[]): Promise<void> {
    const before = new Map(this.#states.map(({ name, status }) => [name, status]));
    this.#states = states;
    const news = states.filter(({ name, status }) => before.get(name) !== status);
    await this.#save(news.map(({ name, status, error }) => ({ name, status, error: error?.message ?? null })));
  }

  #save(said: Record<string, unknown>[]): Promise<void> {
    const services = JSON.stringify(this.#states);
    // An app streams steps instead.
    const isApp = this.#states.some((state) => state.isApp);
    const events = isApp ? [] : said.map((data) => ({ type: 'service' as const, data }));
    const written = this.#last.then(() => this.#write(services, events));
    // The caller gets the error; the next write retries.
    this.#last = written.catch(() => {});
    return written;
  }
}
