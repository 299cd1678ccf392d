import type { Sql, Trx } from '../../../db/database.ts';
import type { ProjectRef } from '../../domains/port.ts';
import { tenant } from '../../../db/tenant.ts';
import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { Parts } from '../model/parts.ts';
import { edgeKey } from '../model/model.ts';
import { selectOfProject, underWayStatuses } from '../model/store.ts';

/** Whether a deployment of the project is queued, under way or waiting for a decision. */
export async function isProjectBusy(sql: Sql, { organizationId, projectId }: ProjectRef): Promise<boolean> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where((eb) =>
      eb.or([eb('status', 'in', underWayStatuses), eb.and([eb('status', '=', 'queued'), eb('held', '=', 0)])]),
    )
    .executeTakeFirst();
  return found !== undefined;
}

/** Deactivates the project's releases on the machine, so that upkeep does not restart them. */
export const deactivateReleases = (trx: Trx, { organizationId, projectId }: ProjectRef, serverId: string | null) =>
  tenant(trx, organizationId)
    .update('deployments', { active: 0 })
    .where('projectId', '=', projectId)
    .where('serverId', serverId === null ? 'is' : '=', serverId)
    .where('active', '=', 1)
    .execute();

/** Removes the project's routes on the machine. */
export async function dropRoutes(sql: Sql, { edge, server }: Parts, of: ProjectRef): Promise<void> {
  const rows = await selectOfProject(sql, of.organizationId, of.projectId);
  const here = rows.filter(({ serverId }) => serverId === (server?.id ?? null));
  for (const key of new Set(here.map(edgeKey))) await edge.remove(key);
}

/** Returns the project's containers on the machine, of one service or of all. */
export const containersOn = async (
  { runtime }: Parts,
  { projectId }: ProjectRef,
  service?: string,
): Promise<Instance[]> =>
  (await runtime.list('image')).filter(
    ({ owner }) => owner.projectId === projectId && (service === undefined || owner.service === service),
  );

/** Stops the containers; with `isRemoved`, also removes them. Volumes stay. */
export async function stopContainers(parts: Parts, own: readonly Instance[], graceMs: number, isRemoved: boolean) {
  const { runtime } = parts;
  await Promise.all(
    own.map(async ({ owner }) => {
      await runtime.stop(owner.deploymentId, graceMs, owner.service);
      if (isRemoved) await runtime.remove(owner.deploymentId, owner.service);
    }),
  );
}
