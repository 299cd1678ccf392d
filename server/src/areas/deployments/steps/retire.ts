import { selectActive, selectOfProject } from '../store.ts';
import { isFinished } from '../model.ts';
import type { Step } from './step.ts';

const drainMs = 30_000;
const graceMs = 10_000;

/** Stops what served before, once its last request is answered. What is newer or unfinished is not ours to stop. */
export const retire: Step = {
  name: 'retire',
  deadlineMs: () => drainMs + graceMs + 30_000,
  async run({ parts, deployment, db, checkLease }) {
    const { organization_id, project_id, environment } = deployment;
    const active = await selectActive(db, organization_id, project_id, environment);
    if (active?.id !== deployment.id) return { stopped: [] };
    const others = (await selectOfProject(db, organization_id, project_id)).filter(
      (each) => each.environment === environment && !each.active && isFinished(each.status),
    );
    const running = new Set((await parts.runtime.list()).map(({ owner }) => owner.deploymentId));
    const stopped = others.map(({ id }) => id).filter((id) => running.has(id));
    for (const id of stopped) {
      await parts.edge.drain(id, drainMs);
      await checkLease();
      await parts.runtime.stop(id, graceMs);
    }
    return { stopped };
  },
};
