import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { undefinedIfGone } from '../runtime/docker/engine/errors.ts';
import { removeIdle, withIdle } from '../runtime/docker/idle-container.ts';
import { ArchiveError, type ArchiveSummary, extractTar } from '../../lib/archive/archive.ts';
import { CopyOutError } from './errors.ts';
import { copyLabel } from '../runtime/docker/labels.ts';
import type { CopyLimits } from './images.ts';

/** Longer than any copy takes, even if the engine's clock differs. */
const abandonedAfterMs = 2 * 3_600_000;

/** Copies a folder of an image through a container that is never started. */
export async function copyOut(
  engine: EngineClient,
  instanceId: string,
  { imageId, path, folder, limits }: { imageId: string; path: string; folder: string; limits: CopyLimits },
): Promise<ArchiveSummary> {
  return withIdle(engine, { image: imageId, labels: { [copyLabel]: instanceId } }, async (id) => {
    try {
      // The dot selects the contents and not the folder itself, and rejects a file.
      const query = { path: `${path.replace(/\/+$/, '')}/.` };
      const call = { method: 'GET', path: `/containers/${id}/archive`, query } as const;
      const answer = await undefinedIfGone(engine.open(call));
      if (!answer) throw new CopyOutError(`the image has no folder ${path}`);
      return await extractTar(answer, folder, limits);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      throw new CopyOutError(`the folder ${path} of the image cannot be copied: ${error.message}`, { cause: error });
    }
  });
}

/** Removes containers of killed copies. Spares young ones, which another replica may use. */
export async function endCopies(engine: EngineClient, instanceId: string, now = Date.now()): Promise<void> {
  const query = { all: true, filters: { label: [`${copyLabel}=${instanceId}`] } };
  type Listed = { Id: string; Created: number };
  const found = await engine.json<Listed[]>({ method: 'GET', path: '/containers/json', query });
  for (const { Id, Created } of found) if (Created * 1000 < now - abandonedAfterMs) await removeIdle(engine, Id);
}
