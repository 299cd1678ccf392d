import type { DeploymentRow } from '../store.ts';
import { containerKey, statesOf } from './model.ts';

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
