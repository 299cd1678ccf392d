import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineAwayError } from '../../runtime/errors.ts';
import { type ControlTransport, EdgeNotRunningError } from '../builtin/control/client.ts';
import type { Hello } from '../builtin/protocol.ts';
import { Bridge, BridgeBrokenError } from './bridge.ts';
import type { BridgeOperation, BridgeOperations } from './bridge-protocol.ts';
import { isGoneOrRenamed } from './container.ts';
import { withServerFieldNames } from './server-field-names.ts';

const usualMs = 15_000;
const helloMs = 4000;
const mostTries = 3;
const betweenLooksMs = 1000;

/** Calls an edge in a container of another server, over one bridge that is opened on demand and reopened when it
 * breaks. Calls are idempotent, so interrupted ones are retried. */
export class RemoteControl implements ControlTransport {
  readonly #open: () => Promise<Bridge>;
  #bridge: Promise<Bridge> | undefined;
  #isClosed = false;

  constructor(engine: EngineClient, container: string, command: () => Promise<string[]>) {
    this.#open = async () => Bridge.open(engine, container, await command());
  }

  async hello(): Promise<Hello | null> {
    try {
      return await this.ask('hello', [], helloMs);
    } catch (error) {
      if (error instanceof EdgeNotRunningError) return null;
      throw error;
    }
  }

  call(method: string, path: string, body?: unknown, withinMs = usualMs): Promise<unknown> {
    return this.ask('call', [method, path, body ?? null, withinMs], withinMs);
  }

  /** A broken bridge says nothing about the edge, so this reconnects for as long as the engine is unreachable. */
  async untilGone(): Promise<void> {
    let first: string | null | undefined;
    while (!this.#isClosed) {
      try {
        const found = await this.#identity();
        first ??= found;
        if (!found || found !== first) return;
        await (await this.#current()).ask('untilGone', [], null);
        return;
      } catch (error) {
        if (error instanceof EdgeNotRunningError) return;
        await sleep(betweenLooksMs);
      }
    }
  }

  /** Calls the keeper. */
  async ask<Each extends BridgeOperation>(
    operation: Each,
    args: BridgeOperations[Each]['args'],
    withinMs = usualMs,
  ): Promise<BridgeOperations[Each]['gives']> {
    for (let tries = 1; ; tries++)
      try {
        return await (await this.#current()).ask(operation, args, withinMs);
      } catch (error) {
        if (!(error instanceof BridgeBrokenError)) throw withServerFieldNames(error as Error);
        if (tries === mostTries || this.#isClosed) throw new EngineAwayError(error);
      }
  }

  async keeperFingerprint(): Promise<string> {
    return (await (await this.#current()).greeting).keeper;
  }

  /** Closes the bridge; the next call opens another one. */
  reopen(): void {
    void this.#bridge?.then(
      (bridge) => bridge.close(),
      // A bridge that failed to open needs no close.
      () => {},
    );
    this.#bridge = undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.reopen();
  }

  /** Process id and run: process ids repeat after a restart of the container. */
  async #identity(): Promise<string | null> {
    const hello = await this.hello();
    const future = Math.ceil(Date.now() / 60_000) + 1;
    return hello && `${hello.pid} ${((await this.call('GET', `/traffic?since=${future}`)) as { run: string }).run}`;
  }

  async #current(): Promise<Bridge> {
    if (this.#isClosed) throw new BridgeBrokenError('this edge is no longer controlled from here');
    const opening = (this.#bridge ??= this.#open());
    const forget = () => void (this.#bridge === opening && (this.#bridge = undefined));
    try {
      const bridge = await opening;
      if (bridge.isOpen) return bridge;
      forget();
      return await this.#current();
    } catch (error) {
      forget();
      if (isGoneOrRenamed(error)) throw new EdgeNotRunningError('the edge is not running', { cause: error });
      throw error;
    }
  }
}
