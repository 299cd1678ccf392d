import { createHash } from 'node:crypto';
import { type Db, inTransaction } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { type AppError, conflict } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import { type AccessDeploymentRequest, hasUnfinishedDeployments } from '../../deployments/port.ts';
import {
  endCloudHold,
  lockExistingProject,
  isBeingPromoted,
  markCloud,
  beingPromotedError,
  visibleProject,
} from '../../projects/port.ts';
import { isSameCloudLocation, type LinkedCloud, cloudLocationIn, cloudLocationText } from '../link/location.ts';

/** A started promotion: its key, and until when local deployments are blocked. */
export type BegunPromotion = { project: ProjectTable; key: string; until: number | null };

/** A repeated request within this time counts as the same promotion. */
const sameForMs = 600_000;
/** Longer than a promotion with its retry takes; limits the block after a crash. */
const holdMs = 150_000;

export const deploymentInProgressError = () =>
  conflict('a deployment of this project is in progress here; wait until it has finished, or cancel it, and try again');

/** Whether the promotion may have reached the cloud without our knowledge. */
export const isRecentPromotion = (key: string): boolean => key > newId('prm', Date.now() - sameForMs);

/**
 * Chooses the key of the promotion while the project is locked: concurrent equal requests share it, and local
 * deployments are blocked from here on.
 */
export const beginPromotion = (
  db: Db,
  caller: Caller,
  { wanted, address }: { wanted: AccessDeploymentRequest; address: LinkedCloud },
): Promise<BegunPromotion> =>
  inTransaction(db, async (trx) => {
    const isHeld = await lockExistingProject(trx, caller.organization.id, wanted.projectId);
    const project = await visibleProject(trx, caller, wanted.projectId, 'write');
    if (!isHeld) throw conflict('this project is being deleted');
    if (project.cloudState !== 'there' && wanted.deployTarget !== 'cloud')
      throw conflict('this project has just been brought home; try again');
    if (project.cloudState !== null && !pointsToCloudOf(address, project)) throw inAnotherCloudError(project);
    const key = keyFor(project, wanted);
    if (project.cloudState === 'there') {
      await markCloud(trx, project, { cloudKey: key });
      return { project, key, until: null };
    }
    // A running local build would be released here while the project is in the cloud.
    if (await hasUnfinishedDeployments(trx, project.organizationId, project.id)) throw deploymentInProgressError();
    if (isBeingPromoted(project) && project.cloudKey !== key) throw beingPromotedError();
    const until = Math.max(Date.now() + holdMs, (project.cloudBusyUntil ?? 0) + 1);
    const at = project.cloudState === null ? { cloudAt: cloudLocationText(address) } : {};
    await markCloud(trx, project, { cloudKey: key, cloudBusyUntil: until, ...at });
    return { project, key, until };
  });

/** Releases the block, whatever the outcome. */
export async function endPromotion(db: Db, { project, until }: BegunPromotion): Promise<void> {
  if (until !== null) await endCloudHold(db, project, until);
}

/** Whether the link points to the cloud of the project, as far as known. */
export const pointsToCloudOf = (address: LinkedCloud | undefined, { cloudAt }: ProjectTable): boolean =>
  address !== undefined && (cloudAt === null || isSameCloudLocation(address, cloudLocationIn(cloudAt)));

/** Another cloud would report the project as deleted. */
export function inAnotherCloudError({ cloudAt }: ProjectTable): AppError {
  const where = cloudAt === null ? 'a cloud' : cloudLocationIn(cloudAt).url;
  return conflict(
    `this project was moved to ${where}, in an organization that is no longer linked; link it again, or give up the copy there with abandon=true`,
  );
}

/** The key includes a digest of the request: another request is another promotion. */
function keyFor({ cloudKey }: ProjectTable, wanted: AccessDeploymentRequest): string {
  const digest = createHash('sha256').update(JSON.stringify(wanted)).digest('hex').slice(0, 16);
  const isSame = cloudKey !== null && cloudKey.endsWith(`.${digest}`) && isRecentPromotion(cloudKey);
  return isSame ? cloudKey : `${newId('prm')}.${digest}`;
}
