import type { EngineClient } from '../engine/client.ts';
import { goneOrGoing, ifThere } from '../engine/errors.ts';
import { instanceLabel } from '../labels.ts';
import { filesLabel } from './unused-files.ts';

/** No copy takes that long, also where the clock of the engine is another one. */
const abandonedAfterMs = 2 * 3_600_000;

type Listed = { Id: string; Created: number };

/** Containers that gave a way into a volume to somebody who was killed meanwhile. Another replica may be about to copy: what is
 * young is left alone, and so is what has ever run. */
export async function removeAbandonedCopies(engine: EngineClient, instanceId: string, now: number): Promise<void> {
  const filters = { label: [`${instanceLabel}=${instanceId}`, filesLabel], status: ['created'] };
  const query = { all: true, filters };
  const found = await engine.json<Listed[]>({ method: 'GET', path: '/containers/json', query });
  for (const { Id, Created } of found)
    if (Created * 1000 < now - abandonedAfterMs)
      await ifThere(
        engine.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: false } }),
        goneOrGoing,
      );
}
