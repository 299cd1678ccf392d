import type { StepContext } from '../model/step.ts';
import { type DeploymentRow, selectActive } from '../model/store.ts';

type Context = Pick<StepContext, 'db' | 'parts' | 'deployment'>;

/** Describes what happens to the previous release if this deployment fails; empty if there is none. */
export async function previousHint(context: Context): Promise<string> {
  const previous = await previousRelease(context);
  if (!previous) return '';
  return (await isStoppedForPort(context, previous.id))
    ? ' The previous release is starting again.'
    : ' The previous release is still serving.';
}

async function previousRelease({ db, deployment }: Context): Promise<DeploymentRow | undefined> {
  const { id, organizationId, projectId, environment } = deployment;
  const active = await selectActive(db, organizationId, projectId, environment);
  return active?.id === id ? undefined : active;
}

const isStoppedForPort = async ({ parts }: Context, id: string): Promise<boolean> => {
  const instance = await parts.runtime.find(id);
  return instance?.state === 'exited' && instance.ignoresPort === true;
};
