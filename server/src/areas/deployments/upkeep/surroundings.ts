import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import type { Instance, Runtime } from '../../../drivers/runtime/runtime.ts';

/** What runs on this machine, as of one look. */
export interface Running {
  all: Instance[];
}

/** Looks around for one round of upkeep: at everything at once, however much there is. To find out that an engine hangs takes
 * seconds, so one that did not answer is not asked again in the same round. */
export class Surroundings {
  readonly #runtime: Runtime;
  /** Why nothing is known of containers, if so. */
  away: EngineAwayError | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  async look(): Promise<Running> {
    const [processes, containers] = await Promise.all([this.#runtime.list('folder'), this.#containers()]);
    return { all: [...processes, ...containers] };
  }

  /** Of what went wrong: an engine that has gone away is remembered, everything else is thrown. */
  notice(error: unknown): void {
    if (!(error instanceof EngineAwayError)) throw error;
    this.away = error;
  }

  /** The same, for whoever goes on with others whatever went wrong. */
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
