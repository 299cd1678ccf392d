import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { allProjects, matchingProject } from '../deployments/find.ts';
import { Failure } from '../errors.ts';
import { closestMatch } from '../closest-match.ts';
import { shellWord } from '../format.ts';

export type Policy = Schemas['BackupPolicy'];
export type Backup = Schemas['Backup'];
export type Restore = Schemas['Restore'];
export type Destination = Schemas['BackupDestination'];

export const allPolicies = async (client: Client, projectId?: string): Promise<Policy[]> =>
  (await unwrap(client.GET('/api/backup-policies', { params: { query: projectId ? { projectId } : {} } }))).data;

export const allDestinations = async (client: Client): Promise<Destination[]> =>
  (await unwrap(client.GET('/api/backup-destinations'))).data;

/** Finds a policy by name or id, or the only one of a project. */
export async function findPolicy(client: Client, named: string): Promise<Policy> {
  const all = await allPolicies(client);
  const found = all.find(({ id, name }) => id === named || name === named);
  if (found) return found;
  const project = matchingProject(await allProjects(client), named);
  const own = all.filter(({ projectId }) => project && projectId === project.id);
  if (own.length === 1) return own[0]!;
  const names = own.map(({ name }) => name).join(', ');
  if (names) throw new Failure(`${named} has several backup policies: ${names}; name one of them`);
  if (project)
    throw new Failure(`${named} has no backup policy; add one with: mooring backup policy add ${shellWord(named)}`);
  const near = closestMatch(
    named,
    all.map(({ name }) => name),
  );
  throw new Failure(`there is no backup policy ${named}; ${near ? `did you mean ${near}?` : listHint('policy list')}`);
}

/** Finds a destination by name or id. */
export async function findDestination(client: Client, named: string): Promise<Destination> {
  const known = await allDestinations(client);
  const found = known.find(({ id, name }) => id === named || name === named);
  if (found) return found;
  const names = known.map(({ name }) => name).join(', ');
  throw new Failure(`there is no destination ${named}${names ? `; there are ${names}` : ''}`);
}

/** Finds a backup by its id, or the newest completed one of a policy or project. */
export async function findBackup(client: Client, named: string): Promise<Backup> {
  if (named.startsWith('bak_')) return backupById(client, named);
  const { id: policyId, name } = await findPolicy(client, named);
  // A backup that was taken before a restore has the data that somebody wanted to replace.
  const isMeant = ({ status, trigger }: Backup) => status === 'completed' && trigger !== 'before-restore';
  const found = (await backupsOf(client, { policyId }, 100)).find(isMeant);
  if (!found) throw new Failure(`${name} has no completed backup; run it with: mooring backup run ${shellWord(name)}`);
  return found;
}

export const backupById = (client: Client, id: string): Promise<Backup> =>
  existing(
    async () => (await unwrap(client.GET('/api/backups/{id}', { params: { path: { id } } }))).data,
    `there is no backup ${id}; ${listHint('list')}`,
  );

export const restoreById = (client: Client, id: string): Promise<Restore> =>
  existing(
    async () => (await unwrap(client.GET('/api/restores/{id}', { params: { path: { id } } }))).data,
    `there is no restore ${id}; see: mooring restore list`,
  );

const listHint = (command: string) => `see: mooring backup ${command}`;

async function existing<T>(request: () => Promise<T>, otherwise: string): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof ApiError && error.status === 404 ? new Failure(otherwise) : error;
  }
}

type Filter = { projectId?: string | undefined; policyId?: string };

/** Returns the newest backups, page by page. */
export const backupsOf = (client: Client, filter: Filter, count: number): Promise<Backup[]> =>
  paged(count, (page) => unwrap(client.GET('/api/backups', { params: { query: { ...filter, ...page } } })));

/** Returns the newest restores and drills, page by page. */
export const restoresOf = (client: Client, filter: Filter, count: number): Promise<Restore[]> =>
  paged(count, (page) => unwrap(client.GET('/api/restores', { params: { query: { ...filter, ...page } } })));

type Page = { limit: number; cursor?: string | undefined };

async function paged<T>(
  count: number,
  get: (page: Page) => Promise<{ data: T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await get({ limit: Math.min(100, count - found.length), cursor });
    found.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor && found.length < count);
  return found;
}
