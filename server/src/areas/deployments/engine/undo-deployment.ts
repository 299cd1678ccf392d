import { LostLeaseError } from '../../../events/event-log.ts';
import type { Log } from '../../../lib/log.ts';
import { endBuildOf, removeArtifact } from '../model/artifact.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { restoreServices, stopServices } from '../rollout/restore.ts';
import type { StepContext } from '../model/step.ts';

/** Rolls back services that were already replaced. */
export async function rollBackServices(context: StepContext, log: Log): Promise<void> {
  const restored = restoreServices(context).then(({ replaced }) => stopServices(context, replaced));
  await untilAborted(restored, context.signal).catch((error: Error) => {
    if (error instanceof LostLeaseError) throw error;
    log.error(`services of ${context.deployment.id} could not be restored: ${error.message}`);
  });
}

/** Removes everything that a failed deployment has made. */
export async function removeDeploymentParts({ parts, deployment, stack }: StepContext, log: Log): Promise<void> {
  const { id, artifactId } = deployment;
  const left = (what: string) => (error: Error) => log.error(`${what} of ${id} could not be removed: ${error.message}`);
  const isOwn = artifactId === id;
  await endBuildOf(parts, deployment).catch(left('the build'));
  if (isOwn) await parts.folders.remove(id).catch(left('the folder'));
  for (const service of endedOf(id, stack)) await parts.runtime.remove(id, service).catch(left('what runs'));
  // After the containers that use it.
  if (isOwn) await removeArtifact(parts, deployment).catch(left('the image'));
}

/** Returns the services to remove; undefined means all. A service that still runs from this deployment stays. */
function endedOf(id: string, { states }: StepContext['stack']): (string | undefined)[] {
  const ended = states.all().filter(({ runsOf }) => runsOf !== id);
  return ended.length === states.all().length ? [undefined] : ended.map(({ name }) => name);
}
