import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Instance, Runtime } from '../../../drivers/runtime/runtime.ts';

export interface RunningInstances {
  all: Instance[];
}

/**
 * Lists everything that runs for one round of upkeep. Detecting a hanging engine takes seconds, so it is asked only
 * once per round.
 */
export class RoundInstances {
  readonly #runtime: Runtime;
  /** Set if the state of containers is unknown. */
  away: EngineAwayError | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async look(): Promise<RunningInstances> {
    const [processes, containers] = await Promise.all([this.#runtime.list('folder'), this.#containers()]);
    return { all: [...processes, ...containers] };
  }

  /** Records that the engine is away; rethrows any other error. */
  notice(error: unknown): void {
    if (!(error instanceof EngineAwayError)) throw error;
    this.away = error;
  }

  /** Records that the engine is away; ignores any other error. */
  noticeAway(error: unknown): void {
    if (error instanceof EngineAwayError) this.away = error;
  }

  async #containers(): Promise<Instance[]> {
    if (this.away) return [];
    return this.#runtime.list('image').catch((error: unknown) => {
      this.notice(error);
      return [];
    });
  }
}
