import type { Instance } from '../../../drivers/runtime/runtime.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';
import { type DeploymentRow, selectActive } from '../model/store.ts';

type Context = Pick<StepContext, 'db' | 'parts' | 'deployment' | 'config'>;

/** What becomes of the release that served until now if this deployment fails; nothing where there is none. */
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

const isStoppedForPort = async ({ parts, config }: Context, id: string): Promise<boolean> => {
  const instance = await parts.runtime.find(id);
  return instance?.state === 'exited' && isOnFixedPort(instance, config);
};

/** Whether it is a process that listens on the port of its project instead of the one that it was given. */
export const isOnFixedPort = ({ image, port }: Instance, config: Pick<DeploymentConfig, 'port'>): boolean =>
  image === undefined && port === config.port;
