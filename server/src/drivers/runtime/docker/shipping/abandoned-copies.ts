import type { EngineClient } from '../engine/client.ts';
import { goneOrGoing, undefinedIfGone } from '../engine/errors.ts';
import { instanceLabel } from '../labels.ts';
import { filesLabel } from './unused-files.ts';

/** Longer than any copy takes, even if the engine's clock differs. */
const abandonedAfterMs = 2 * 3_600_000;

type Listed = { Id: string; Created: number };

/** Removes containers that a killed process created to copy into a volume. Spares young ones, which another replica
 * may use, and any that ever ran. */
export async function removeAbandonedCopies(engine: EngineClient, instanceId: string, now: number): Promise<void> {
  const filters = { label: [`${instanceLabel}=${instanceId}`, filesLabel], status: ['created'] };
  const query = { all: true, filters };
  const found = await engine.json<Listed[]>({ method: 'GET', path: '/containers/json', query });
  for (const { Id, Created } of found)
    if (Created * 1000 < now - abandonedAfterMs)
      await undefinedIfGone(
        engine.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: false } }),
        goneOrGoing,
      );
}
