import type { StepContext } from './steps/step.ts';
import { selectActive } from './store.ts';

export const stillServing = 'The previous release is still serving.';

/** Whether another deployment of the project serves, and goes on serving if this one fails. */
export async function hasPrevious({ db, deployment }: Pick<StepContext, 'db' | 'deployment'>): Promise<boolean> {
  const { id, organization_id, project_id, environment } = deployment;
  const active = await selectActive(db, organization_id, project_id, environment);
  return active !== undefined && active.id !== id;
}
