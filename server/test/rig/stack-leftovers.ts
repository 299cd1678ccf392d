import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceState } from '../../src/areas/deployments/model/stack.ts';
import type { Docker } from './docker.ts';
import { containersOf, imagesOf } from './engine-things.ts';
import { type DeploymentState, readInside } from './inside.ts';
import { differs, gapsIn } from './leftovers.ts';
import { until } from './until.ts';

type Row = DeploymentState & { services: string | null; environment: string };

const rowsIn = (dataDir: string): Row[] =>
  readInside(dataDir, (database) => database.prepare('select * from deployments order by id').all() as Row[]);
const statesOf = ({ services }: Row): ServiceState[] =>
  services === null ? [] : (JSON.parse(services) as ServiceState[]);

/** Unexpected and missing containers, and unused leftovers; empty when all is well. For an idle service whose
 * projects all have several services. */
export async function stackLeftovers(docker: Docker, dataDir: string): Promise<string[]> {
  const rows = rowsIn(dataDir);
  const pending = rows.filter(({ status }) => status === 'partial_failure');
  const isHeld = (row: Row) => pending.some((each) => each.project_id === row.project_id && each.id !== row.id);
  const current = rows.filter((row) => (row.active === 1 && !isHeld(row)) || row.status === 'partial_failure');
  const wanted = current.flatMap((row) =>
    statesOf(row).flatMap(({ name, runsOf, isOver }) => (runsOf === null || isOver ? [] : [`${runsOf}/${name}`])),
  );
  const containers = (await containersOf(docker)).map(({ Labels, State, Names }) => ({
    key: Labels?.['mooring.deployment'] ? `${Labels['mooring.deployment']}/${Labels['mooring.service']}` : Names.join(),
    deployment: Labels?.['mooring.deployment'] ?? '',
    isUp: State !== 'exited' && State !== 'created',
  }));
  const kept = new Set(rows.filter(({ artifact_kept }) => artifact_kept === 1).map(({ id }) => id));
  const used = new Set(current.flatMap((row) => statesOf(row).flatMap(({ name, runsOf }) => `${runsOf}/${name}`)));
  const images = new Set(rows.flatMap((row) => statesOf(row).map(({ image }) => image?.imageId)));
  const ours = (await imagesOf(docker)).filter(({ Labels }) => Labels?.['mooring.instance']);
  const folders = (name: string) => (existsSync(join(dataDir, name)) ? readdirSync(join(dataDir, name)) : []);
  return [
    ...differs(
      'running',
      containers.filter(({ isUp }) => isUp).map(({ key }) => key),
      wanted,
    ),
    ...differs(
      'containers that nothing needs',
      containers.filter(({ key, deployment }) => !kept.has(deployment) && !used.has(key)).map(({ key }) => key),
      [],
    ),
    ...differs(
      'images that nothing needs',
      ours.filter(({ Id }) => !images.has(Id)).map(({ RepoTags, Id }) => RepoTags?.[0] ?? Id),
      [],
    ),
    ...differs('folders', folders('releases'), []),
    ...differs('unfinished', folders('tmp'), []),
    ...gapsIn(dataDir),
  ];
}

/** Waits until there are no leftovers: stopping containers takes a moment. */
export const untilTidy = (docker: Docker, dataDir: string, withinMs = 45_000): Promise<void> =>
  until(
    'nothing is left over',
    async () => {
      const left = await stackLeftovers(docker, dataDir);
      if (left.length) throw new Error(left.join('\n'));
      return true;
    },
    withinMs,
  ).then(
    () => undefined,
    (error: Error) => {
      throw error.cause ?? error;
    },
  );
