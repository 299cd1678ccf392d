import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import type { Parts } from '../model/parts.ts';
import { selectReplaced } from '../model/store.ts';
import type { Running, Surroundings } from './surroundings.ts';

const drainMs = 30_000;
/** Of one round: others have to be looked after too. */
const drainAtOnceMs = 1000;
const graceMs = 10_000;

type On = { db: Db; parts: Pick<Parts, 'runtime' | 'edge'>; log: Log; owner: string; around: Surroundings };

/** Stops releases that another one has replaced and that run all the same: the edge or the runtime was away when they were
 * to be retired. Gives the duty of a round; it remembers since when it waits for the last requests of each. */
export function retirement(now = Date.now): (on: On) => Promise<void> {
  const since = new Map<string, number>();

  /** They are answered, or have had their time. Throws when the edge does not say. */
  async function isDrained({ edge }: On['parts'], id: string): Promise<boolean> {
    const began = since.get(id) ?? now();
    since.set(id, began);
    return (await edge.drain(id, drainAtOnceMs)) === 0 || now() - began > drainMs;
  }

  return async ({ db, parts, log, owner, around }) => {
    const replaced = await selectReplaced(db, owner, idsOfRunning(await around.look()));
    for (const id of since.keys()) if (!replaced.includes(id)) since.delete(id);
    if (!replaced.length) return;
    // Whatever the database says: what the edge still sends requests to is not stopped before that is set right.
    const served = await servedIds(parts);
    for (const id of replaced.filter((each) => !served.has(each))) {
      try {
        if (!(await isDrained(parts, id))) continue;
        // A worker may have begun meanwhile; it retires this one itself.
        if (!(await selectReplaced(db, owner, [id])).length) continue;
        log.warn(`stopping ${id}, which was replaced and runs all the same`);
        await parts.runtime.stop(id, graceMs);
      } catch (error) {
        log.error(`the replaced release ${id} is not stopped: ${(error as Error).message}`);
      }
    }
  };
}

const idsOfRunning = ({ all }: Running): string[] =>
  all.filter(({ state }) => state === 'running' || state === 'restarting').map(({ owner }) => owner.deploymentId);

const servedIds = async ({ edge }: On['parts']): Promise<Set<string>> =>
  new Set((await edge.list()).flatMap(({ routes }) => routes.map(({ deploymentId }) => deploymentId)));
