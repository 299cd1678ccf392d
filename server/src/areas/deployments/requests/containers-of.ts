import { notFound } from '../../../errors.ts';
import { isFinished } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';
import { appService, isAppRow, serviceStatesOf } from '../model/stack.ts';

/** A container of a deployment's app or service, whichever deployment started it. */
export type ContainerOf = { deploymentId: string; service: string };

/** Returns the containers that a deployment has or should have, optionally of one service. */
export function containersOf(row: DeploymentRow, service?: string): ContainerOf[] {
  if (isAppRow(row)) {
    if (service !== undefined && service !== appService) throw notFound('service');
    return [{ deploymentId: row.id, service: appService }];
  }
  const states = serviceStatesOf(row).filter(({ name }) => service === undefined || name === service);
  if (service !== undefined && !states.length) throw notFound('service');
  // A finished deployment has only the containers that it started itself.
  const isCurrent = row.active === 1 || !isFinished(row.status);
  return states.map(({ name, runsOf }) => ({
    deploymentId: isCurrent ? (runsOf ?? row.id) : row.id,
    service: name,
  }));
}
