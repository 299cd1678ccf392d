import { isOfRelease, strayWrites, addWarning, selectWarnings, willBeLost } from '../release/stray-writes.ts';
import { stacksOfRound, type UpkeepDeps } from './resting-stacks.ts';

const servedMs = 60_000;

/** Warns about files that a release wrote outside its volumes, once it has served for a minute. */
export class StrayWriteUpkeep {
  readonly #looked = new Set<string>();

  look = async (deps: UpkeepDeps): Promise<void> => {
    for (const { row, config, stack, states } of (await stacksOfRound(deps)).resting) {
      const isDue = row.active === 1 && row.finishedAt !== null && Date.now() - row.finishedAt > servedMs;
      if (!isDue || this.#looked.has(row.id)) continue;
      if (deps.around.away && states.some(({ folder }) => !folder)) continue;
      this.#looked.add(row.id);
      const own = (await selectWarnings(deps.db, row.id)).filter(({ line }) => isOfRelease(line));
      const warned = own.map(({ service }) => service);
      for (const state of states) {
        const service = stack.app ? null : state.name;
        // An unchanged service was checked when its own deployment had served for a minute.
        if (state.runsOf !== row.id || warned.includes(service)) continue;
        try {
          const folders = await strayWrites(deps.parts, { row, config }, state);
          const stray = { folders, slug: config.slug, service };
          if (folders.length) await addWarning(deps.db, row.id, willBeLost(stray), stray);
        } catch (error) {
          // It is only a report; an engine with too much output must not count as away.
          deps.log.warn(`files that ${state.name} of ${row.id} wrote are not reported: ${(error as Error).message}`);
        }
      }
    }
  };
}
