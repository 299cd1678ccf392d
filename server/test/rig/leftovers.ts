import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { deploymentsIn, processesOf, readInside, stepsOf } from './inside.ts';
import { until } from './until.ts';

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).toSorted() : []);

/** Waits until all workers are idle, including the work after a release. */
export const atRest = (dataDir: string, withinMs = 60_000): Promise<unknown> =>
  until(
    'everything is at rest',
    () =>
      deploymentsIn(dataDir).every(
        ({ lease_owner, status }) => lease_owner === null && !['building', 'deploying'].includes(status),
      ),
    withinMs,
  );

/** Waits for restarts and deletions that continue after their response. */
export const backgroundDone = (dataDir: string, withinMs = 60_000): Promise<unknown> =>
  until(
    'no background task is left',
    () => readInside(dataDir, (database) => !database.prepare('select id from background_tasks').get()),
    withinMs,
  );

/** Unexpected and missing objects on the machine; empty when all is well. For an idle service with only apps. */
export function leftovers(dataDir: string, replicas = 1): string[] {
  const deployments = deploymentsIn(dataDir);
  const kept = deployments.filter(({ artifact_kept }) => artifact_kept === 1);
  const active = deployments.filter((each) => each.active === 1).map(({ id }) => id);
  const started = kept.filter(({ id }) =>
    stepsOf(dataDir, id).some((step) => step.name === 'start' && step.attempt > 0),
  );
  const instances = names(join(dataDir, 'processes/instances'));
  const running = processesOf(dataDir);
  const of = (what: string) =>
    running
      .filter((each) => each.what === what)
      .map((each) => each.of)
      .toSorted();
  return [
    ...differs('releases', names(join(dataDir, 'releases')), [...new Set(kept.map((each) => each.artifact_id))]),
    ...differs(
      'instances',
      instances.map((name) => name.split('-')[0]!),
      started.map(({ id }) => id),
    ),
    ...differs(
      'supervisors',
      of('supervisor'),
      active.flatMap((id) => Array<string>(replicas).fill(id)),
    ),
    ...differs(
      'apps',
      [...new Set(of('app'))],
      deployments.filter((each) => each.active).map((each) => each.artifact_id),
    ),
    ...differs('commands', of('command'), []),
    ...differs('edges', of('edge'), ['']),
    ...differs('services', of('service'), ['']),
    ...gapsIn(dataDir),
  ];
}

export function differs(what: string, found: string[], expected: string[]): string[] {
  const [left, right] = [found.toSorted().join(' '), expected.toSorted().join(' ')];
  return left === right ? [] : [`${what}: found [${left}], expected [${right}]`];
}

/** Events are numbered from 1 without gaps, and the deployment has the last number. */
export function gapsIn(dataDir: string): string[] {
  return readInside(dataDir, (database) => {
    const query = `select d.id, d.last_seq as last, count(e.seq) as count, coalesce(max(e.seq), 0) as most
      from deployments d left join deployment_events e on e.deployment_id = d.id group by d.id`;
    const rows = database.prepare(query).all() as { id: string; last: number; count: number; most: number }[];
    return rows
      .filter(({ last, count, most }) => last !== count || most !== count)
      .map((row) => `events: ${JSON.stringify(row)}`);
  });
}
