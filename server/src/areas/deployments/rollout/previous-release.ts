import type { StepContext } from '../model/step.ts';
import { type DeploymentRow, selectActive } from '../model/store.ts';

type Context = Pick<StepContext, 'db' | 'deployment' | 'stack'>;

/** Describes what happens to the previous release if this deployment fails; empty if there is none, or if it was
 * stopped for this deployment: whether it serves again is not known yet. */
export async function previousHint(context: Context): Promise<string> {
  return isStoppedFirst(context) || !(await previousRelease(context)) ? '' : ' The previous release is still serving.';
}

async function previousRelease({ db, deployment }: Context): Promise<DeploymentRow | undefined> {
  const { id, organizationId, projectId, environment } = deployment;
  const active = await selectActive(db, organizationId, projectId, environment);
  return active?.id === id ? undefined : active;
}

const isStoppedFirst = ({ stack }: Context): boolean =>
  stack.states
    .all()
    .some(({ strategy, before, status }) => strategy === 'stop_first' && before !== null && inTurn.includes(status));

const inTurn = ['starting', 'checking'];
