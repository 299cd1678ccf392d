import { setTimeout as sleep } from 'node:timers/promises';
import { selectDeletedReleases } from '../model/background-store.ts';
import { containerKey, serviceStatesOf } from '../model/stack.ts';
import type { StepContext } from '../model/step.ts';
import { selectOfProject } from '../model/store.ts';

const lookMs = 300;

/**
 * Waits until a deleted release has stopped in the background: two versions must not write to the same volume, and
 * cannot share a port of the machine.
 */
export async function untilDeletedStops({ db, parts, deployment, signal, log }: StepContext): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    const keys = await containersOfDeleted({ db, deployment });
    if (!keys.size) return;
    const isLeft = (await parts.runtime.list()).some(
      ({ owner, state }) =>
        ['running', 'restarting'].includes(state) && keys.has(containerKey(owner.deploymentId, owner.service)),
    );
    if (!isLeft) return;
    if (!isTold) log('Waiting until the deleted release has stopped');
    await sleep(lookMs, undefined, { signal });
  }
}

async function containersOfDeleted({ db, deployment }: Pick<StepContext, 'db' | 'deployment'>): Promise<Set<string>> {
  const { organizationId, projectId, environment } = deployment;
  const deleted = new Set(await selectDeletedReleases(db));
  if (!deleted.size) return new Set();
  const rows = await selectOfProject(db, organizationId, projectId);
  const states = rows.filter((row) => deleted.has(row.id) && row.environment === environment).flatMap(serviceStatesOf);
  return new Set(states.flatMap(({ name, runsOf }) => (runsOf === null ? [] : [containerKey(runsOf, name)])));
}
