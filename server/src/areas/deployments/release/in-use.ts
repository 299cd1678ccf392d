import { isFinished } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';
import { containerKey, serviceStatesOf } from '../model/stack.ts';

type Row = Pick<DeploymentRow, 'environment' | 'active' | 'status' | 'services'>;

/**
 * Returns the deployment that defines each environment's current services: the one that is changing it or waits for a
 * decision, or else the active one.
 */
export function currentDeployments<T extends Row>(rows: readonly T[]): T[] {
  const byEnvironment = new Map<string, T>();
  for (const row of rows) {
    const isUnderWay = ['building', 'deploying', 'partial_failure'].includes(row.status) && row.services !== null;
    const isPlanned = isUnderWay && serviceStatesOf(row).some(({ change }) => change !== null);
    if (isPlanned || (row.active === 1 && !byEnvironment.has(row.environment))) byEnvironment.set(row.environment, row);
  }
  return [...byEnvironment.values()];
}

/** Containers of services that serve, or are about to: nothing else may stop them. */
export function containersInUse(rows: readonly Row[]): Set<string> {
  const used = currentDeployments(rows).flatMap((row) =>
    serviceStatesOf(row).flatMap(({ name, runsOf }) => (runsOf === null ? [] : [containerKey(runsOf, name)])),
  );
  return new Set(used);
}

/** Containers that must not be removed, including those that an unfinished deployment may roll back to. */
export const containersNeeded = (rows: readonly Row[]): Set<string> =>
  containersInUse(rows).union(containersBefore(rows));

/** Containers replaced by a deployment that has not finished. */
export function containersBefore(rows: readonly Row[]): Set<string> {
  const undone = currentDeployments(rows).filter(({ status }) => !isFinished(status));
  const before = undone.flatMap((row) =>
    serviceStatesOf(row).flatMap((state) => (state.before === null ? [] : [containerKey(state.before, state.name)])),
  );
  return new Set(before);
}

type ImageRow = Pick<DeploymentRow, 'services' | 'artifactKept' | 'active' | 'status'>;

/** Ids of images that a stack runs from or may roll back to. */
export const imagesInUse = (rows: readonly ImageRow[]): Set<string> =>
  new Set(
    rows
      .filter(({ artifactKept, active, status }) => artifactKept === 1 || active === 1 || !isFinished(status))
      .flatMap((row) => serviceStatesOf(row).flatMap(({ image }) => (image ? [image.imageId] : []))),
  );
