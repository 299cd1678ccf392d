import { FileProblem, type ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import type { FoundService } from '../stack/found-services.ts';
import { driftOf } from './drift.ts';
import type { Budget } from './machine-tree.ts';
import { type ComposeFilesLocation, composeFilesLocation } from './files-location.ts';
import { readCompose } from './read-project.ts';

const atOnce = 16;
const mostOfAll: Budget = { files: 500, bytes: 32 * 1024 * 1024 };

/** Compose files of a group, as shown. */
export interface GroupFiles {
  files: { path: string; found: boolean; matches: boolean; problem?: string }[];
  warnings: string[];
}

type Group = { name: string; members: FoundService[]; place: ComposeFilesLocation };
type WithFiles = <T>(look: (files: ReadOnlyFiles) => Promise<T>) => Promise<T>;

/**
 * Reads the compose files of all groups and compares them with the containers. Does not open a file connection if no
 * group has any.
 */
export async function readComposeFiles(
  withFiles: WithFiles,
  services: readonly FoundService[],
): Promise<Map<string, GroupFiles>> {
  const groups = Map.groupBy(
    services.filter(({ group, isOurs, identity }) => group !== null && !isOurs && !identity.isSwarmTask),
    ({ group }) => group!,
  );
  const placed = [...groups].flatMap(([name, members]): Group[] => {
    const place = composeFilesLocation(members);
    return place ? [{ name, members, place }] : [];
  });
  if (!placed.length) return new Map();
  try {
    return new Map(await withFiles((files) => readGroups(files, placed)));
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return new Map(placed.map(({ name, place }) => [name, unread(place, error.message)]));
  }
}

function readGroups(files: ReadOnlyFiles, groups: readonly Group[]): Promise<[string, GroupFiles][]> {
  const budget = { ...mostOfAll };
  const inTurn = limitConcurrency(atOnce);
  return Promise.all(
    groups.map((group) =>
      inTurn(async (): Promise<[string, GroupFiles]> => [group.name, await readGroup(files, group, budget)]),
    ),
  );
}

/** Result for a machine whose files are not accessible. */
const unread = ({ files }: ComposeFilesLocation, problem: string): GroupFiles => ({
  files: files.map((path) => ({ path, found: false, matches: false, problem })),
  warnings: [`its compose files were not read: ${problem}`],
});

async function readGroup(files: ReadOnlyFiles, { name, members, place }: Group, budget: Budget): Promise<GroupFiles> {
  const { files: read, project } = await readCompose(files, place, name, budget);
  const drift = project ? driftOf(project, members) : [];
  const problems = read.flatMap(({ path, found, problem }) =>
    problem !== null ? [`${path}: ${problem}`] : found ? [] : [`${path} does not exist on this machine`],
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
