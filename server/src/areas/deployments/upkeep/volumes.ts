import type { Db } from '../../../db/database.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { edgeKey } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import { stackOf } from '../model/run-stack.ts';
import { selectLiveDeployments } from '../model/store.ts';
import { claimPurge, deleteVolume, type PurgedVolume, selectPurged, type VolumeRow } from '../model/volume-store.ts';
import { mountOfVolume } from '../model/volumes.ts';

type Deps = { db: Db; sealer: Sealer; parts: Parts; purged?: () => Promise<PurgedVolume[]> };

/** Deletes the data of purged volumes once no release mounts them. A failure does not block the others. */
export async function purgeVolumes(deps: Deps): Promise<void> {
  const troubles: unknown[] = [];
  for (const row of await (deps.purged?.() ?? selectPurged(deps.db)))
    if (row.serverId === (deps.parts.server?.id ?? null))
      await purgeVolume(deps, row).catch((error: unknown) => {
        // Every other volume would wait for the engine again.
        if (error instanceof EngineAwayError) throw error;
        troubles.push(error);
      });
  if (troubles.length) throw troubles[0];
}

export async function purgeVolume({ db, sealer, parts }: Deps, row: VolumeRow): Promise<void> {
  const users = await selectLiveDeployments(db, row);
  if (users.some((user) => mountOfVolume(stackOf(sealer, user), row.name))) return;
  if ((await claimPurge(db, row)) && (await deleteData(parts, row))) await deleteVolume(db, row);
}

/** Returns false while a container uses the volume. */
async function deleteData({ containers, folders, server }: Parts, row: VolumeRow): Promise<boolean> {
  const { projectId, environment, name } = row;
  for (const { id } of await engineVolumes(containers, row))
    if (!(await containers!.services.removeVolume(id))) return false;
  if (server === null)
    for (const place of [folders.volume, folders.volumeInEngine, folders.volumeDraft])
      await removeTree(place(projectId, environment, name));
  return true;
}

async function engineVolumes(containers: Parts['containers'], row: VolumeRow) {
  const there = (await containers?.services.volumes({ projectId: row.projectId })) ?? [];
  return there.filter(({ id, stack, name }) =>
    row.engineId === null ? stack === edgeKey(row) && name === row.name : id === row.engineId,
  );
}
