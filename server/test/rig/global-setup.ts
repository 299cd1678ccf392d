import type { TestProject } from 'vitest/node';
import { endAbandonedRuns, endRun, rigFolder } from './children.ts';
import { makeTemplates } from './databases.ts';
import { has } from './parts.ts';
import { startPostgres } from './postgres.ts';

/** Once per run: cleans up after earlier runs, and starts what all suites share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  endAbandonedRuns();
  const folder = rigFolder();
  const postgres = has('postgres') ? await startPostgres() : undefined;
  project.provide('postgresUrl', postgres?.url ?? '');
  await makeTemplates(postgres?.url ?? '');
  return async () => {
    await postgres?.stop();
    endRun(folder);
  };
}
