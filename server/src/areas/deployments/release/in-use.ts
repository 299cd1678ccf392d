import { isFinished } from '../model/model.ts';
import type { DeploymentRow } from '../model/store.ts';
import { containerKey, statesOf } from '../model/stack.ts';

type Row = Pick<DeploymentRow, 'environment' | 'active' | 'status' | 'services'>;

/** What each environment of a project really consists of at the moment: the deployment that is about to change it, or that
 * waits for a decision, and else the one that serves. */
export function truths<T extends Row>(rows: readonly T[]): T[] {
  const byEnvironment = new Map<string, T>();
  for (const row of rows) {
    const isUnderWay = ['building', 'deploying', 'partial_failure'].includes(row.status) && row.services !== null;
    const isPlanned = isUnderWay && statesOf(row).some(({ change }) => change !== null);
    if (isPlanned || (row.active === 1 && !byEnvironment.has(row.environment))) byEnvironment.set(row.environment, row);
  }
  return [...byEnvironment.values()];
}

/** The containers of services that serve, or are about to: nobody else's to stop. */
export function containersInUse(rows: readonly Row[]): Set<string> {
  const used = truths(rows).flatMap((row) =>
    statesOf(row).flatMap(({ name, runsOf }) => (runsOf === null ? [] : [containerKey(runsOf, name)])),
  );
  return new Set(used);
}

/** Those that nobody may remove: also what something under way, or that waits for a decision, may have to go back to. */
export const containersNeeded = (rows: readonly Row[]): Set<string> =>
  containersInUse(rows).union(containersBefore(rows));

/** What was replaced by something that has not come to its end. */
export function containersBefore(rows: readonly Row[]): Set<string> {
  const undone = truths(rows).filter(({ status }) => !isFinished(status));
  const before = undone.flatMap((row) =>
    statesOf(row).flatMap((state) => (state.before === null ? [] : [containerKey(state.before, state.name)])),
  );
  return new Set(before);
}

type ImageRow = Pick<DeploymentRow, 'services' | 'artifactKept' | 'active' | 'status'>;

/** Ids of images that some deployment of several services runs from or may go back to. */
export const imagesInUse = (rows: readonly ImageRow[]): Set<string> =>
  new Set(
    rows
      .filter(({ artifactKept, active, status }) => artifactKept === 1 || active === 1 || !isFinished(status))
      .flatMap((row) => statesOf(row).flatMap(({ image }) => (image ? [image.imageId] : []))),
  );
