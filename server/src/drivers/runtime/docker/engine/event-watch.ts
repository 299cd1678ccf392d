import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from './client.ts';
import type { EngineEvent } from './types.ts';
import { instanceFilter } from '../labels.ts';

export interface Watcher {
  /** The engine is reachable, for the first time or again: anything may have happened meanwhile. */
  onConnected(): Promise<void>;
  onEvent(event: EngineEvent): void;
  /** The engine became unreachable. */
  onAway(error: unknown): void;
}

const firstPauseMs = 100;
const longestPauseMs = 3_000;
/** Maximum length of an event, because a remote engine is not trusted. */
const longestEvent = 1024 * 1024;

/** Follows the engine's events for our containers, across engine restarts. */
export class EngineWatch {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly #watcher: Watcher;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(engine: EngineClient, instanceId: string, watcher: Watcher) {
    [this.#engine, this.#instanceId, this.#watcher] = [engine, instanceId, watcher];
  }

  begin(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      let wasThere = false;
      try {
        await this.#follow(() => (wasThere = true));
      } catch (error) {
        if (wasThere && !signal.aborted) this.#watcher.onAway(error);
      }
      if (wasThere) pauseMs = firstPauseMs;
      // Rejects only on close.
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Runs until the connection ends, which is always an error. */
  async #follow(onThere: () => void): Promise<never> {
    await this.#engine.ping();
    const filters = { ...instanceFilter(this.#instanceId), type: ['container'] };
    const { signal } = this.#closing;
    const events = await this.#engine.open({ method: 'GET', path: '/events', query: { filters }, signal });
    onThere();
    // Subscribe first, then list: events in between are seen twice, not missed.
    await this.#watcher.onConnected();
    let rest = '';
    for await (const chunk of events.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop()!;
      if (rest.length > longestEvent) throw new Error('the engine sent an endless event');
      for (const line of lines) this.#watcher.onEvent(JSON.parse(line) as EngineEvent);
    }
    throw new Error('the engine has ended its events');
  }
}
