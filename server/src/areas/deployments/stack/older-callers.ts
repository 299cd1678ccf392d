import type { StepContext } from '../steps/step.ts';
import { selectDeployment } from '../store.ts';

/** Whether something runs on that was started before there was a service of this name: it knows the name only by the engine,
 * which gives names to containers at their start and never later. */
export async function hasOlderCallers({ db, deployment, stack }: StepContext, name: string): Promise<boolean> {
  const others = stack.states.all().filter((state) => state.name !== name && state.runsOf !== deployment.id);
  for (const runsOf of new Set(others.flatMap((state) => state.runsOf ?? []))) {
    const row = await selectDeployment(db, deployment.organization_id, runsOf);
    const known = row && stack.of(row);
    if (known && !known.stack.project.services.some((service) => service.name === name)) return true;
  }
  return false;
}
