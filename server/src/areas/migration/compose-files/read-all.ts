import type { ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import type { FoundService } from '../stack/found-services.ts';
import { driftOf } from './drift.ts';
import type { Budget } from './machine-tree.ts';
import { composePlace } from './places.ts';
import { readCompose } from './read-project.ts';

const atOnce = 16;
const mostOfAll: Budget = { files: 500, bytes: 32 * 1024 * 1024 };

/** The compose files of a group, as they are shown. */
export interface GroupFiles {
  files: { path: string; found: boolean; matches: boolean; problem?: string }[];
  warnings: string[];
}

/** Reads the compose files of all groups and holds them against what runs; by group. */
export async function readComposeFiles(
  files: ReadOnlyFiles,
  services: readonly FoundService[],
): Promise<Map<string, GroupFiles>> {
  const groups = Map.groupBy(
    services.filter(({ group, identity }) => group !== null && !identity.isSwarmTask),
    ({ group }) => group!,
  );
  const budget = { ...mostOfAll };
  const inTurn = limitConcurrency(atOnce);
  const read = [...groups].map(([group, members]) =>
    inTurn(async () => [group, await readGroup(files, group, members, budget)] as const),
  );
  return new Map(await Promise.all(read));
}

async function readGroup(files: ReadOnlyFiles, group: string, members: FoundService[], budget: Budget) {
  const place = composePlace(members);
  if (!place) return { files: [], warnings: [] };
  const { files: read, project } = await readCompose(files, place, group, budget);
  const drift = project ? driftOf(project, members) : [];
  const problems = read.flatMap(({ path, found, problem }) =>
    problem !== null ? [`${path}: ${problem}`] : found ? [] : [`${path} is not there, or not on this machine`],
  );
  return {
    files: read.map(({ path, found, problem }) => ({
      path,
      found,
      matches: project !== null && !drift.length,
      ...(problem !== null && { problem }),
    })),
    warnings: [...problems, ...drift],
  };
}
