import { notFound } from '../../../errors.ts';
import { isFinished } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';
import { appService, isAppRow, statesOf } from '../model/stack.ts';

/** A container of a deployment: of the app, or of one of its services, whichever deployment has started that. */
export type ContainerOf = { deploymentId: string; service: string };

/** What runs of a deployment, or should; narrowed to one service where somebody asks for it. */
export function containersOf(row: DeploymentRow, service?: string): ContainerOf[] {
  if (isAppRow(row)) {
    if (service !== undefined && service !== appService) throw notFound('service');
    return [{ deploymentId: row.id, service: appService }];
  }
  const states = statesOf(row).filter(({ name }) => service === undefined || name === service);
  if (service !== undefined && !states.length) throw notFound('service');
  // Of one that is over there is only what it has started itself.
  const isCurrent = row.active === 1 || !isFinished(row.status);
  return states.map(({ name, runsOf }) => ({
    deploymentId: isCurrent ? (runsOf ?? row.id) : row.id,
    service: name,
  }));
}
