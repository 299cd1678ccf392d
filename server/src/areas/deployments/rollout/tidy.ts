import { isAppRow } from '../model/stack.ts';
import { freeLabels } from '../release/addresses.ts';
import { deleteOtherNames, hostLabel } from '../../projects/port.ts';
import { removeArtifact } from '../model/artifact.ts';
import { removeForgottenContainers, removeOldContainers, removeOldContents, removeOldImages } from './tidy-services.ts';
import { type DeploymentRow, isUnderWay, selectOfProject, underWayStatuses, updateDeployment } from '../model/store.ts';
import type { Step } from '../model/step.ts';

const keptEventLogs = 100;

/** Removes artifacts that no rollback needs: pinned releases and the newest few stay. */
export const tidy: Step = {
  name: 'tidy',
  deadlineMs: () => 120_000,
  async run(context) {
    const { parts, deployment, config, db, checkLease } = context;
    const all = await selectOfProject(db, deployment.organizationId, deployment.projectId);
    const kept = keptArtifacts(all, config.rollbackWindow);
    const gone = all.filter((each) => each.artifactKept && each.finishedAt !== null && !kept.has(each.artifactId));
    for (const each of gone) {
      await checkLease();
      await removeOldContainers(parts, each, all);
      // Updated before the folder is removed, so that after a crash no rollback finds a missing artifact.
      await updateDeployment(db, each.organizationId, each.id, { artifactKept: 0 });
      each.artifactKept = 0;
    }
    const artifacts = new Map(gone.map((each) => [each.artifactId, each]));
    for (const each of artifacts.values())
      await (isAppRow(each) ? removeArtifact(parts, each) : removeOldImages(parts, each, all));
    if (!all.every(isAppRow)) {
      await removeForgottenContainers(parts, deployment, all);
      await removeOldContents(context, all);
    }
    for (const each of all
      .slice(keptEventLogs)
      .filter(({ finishedAt, pinned, active }) => finishedAt !== null && !pinned && !active))
      await db.deleteFrom('deployment_events').where('deploymentId', '=', each.id).execute();
    const { projectId, environment } = deployment;
    // Queued deployments claimed their domains when they were created.
    const isLast = !(await isUnderWay(db, projectId, environment, ['queued', ...underWayStatuses]));
    if (isLast && all.find(({ id }) => id === deployment.id)?.active)
      await deleteOtherNames(db, projectId, environment, [
        hostLabel(config.slug, environment),
        ...freeLabels(config.publicEndpoints ?? [], parts.baseDomain),
      ]);
    return { removed: gone.map(({ id }) => id) };
  },
};

/** Artifact ids to keep, `window` in each environment; several deployments may share one artifact. */
export function keptArtifacts(newestFirst: DeploymentRow[], window: number): Set<string> {
  const kept = new Set<string>();
  for (const rows of Map.groupBy(newestFirst, ({ environment }) => environment).values()) {
    const recent = new Set<string>();
    for (const each of rows) {
      if (each.active || each.pinned || each.finishedAt === null) kept.add(each.artifactId);
      else if (each.status === 'ready' && recent.size < window) recent.add(each.artifactId);
    }
    for (const id of recent) kept.add(id);
  }
  return kept;
}
