import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { Failure } from '../errors.ts';
import { closestMatch } from '../closest-match.ts';
import { plainText } from '../output.ts';

export type Project = Schemas['Project'];
export type Deployment = Schemas['Deployment'];

/** Used if no environment is given, or an empty one. */
export const production = 'production';

const inProgress = new Set(['queued', 'building', 'deploying']);
export const isInProgress = ({ status }: Deployment) => inProgress.has(status);

export const environmentOption = {
  type: 'string',
  value: '<name>',
  help: 'environment of the project; default production',
} as const;

export async function allProjects(client: Client): Promise<Project[]> {
  const { data } = await unwrap(client.GET('/api/projects'));
  return data;
}

/** Finds a project by id, name or slug. */
export async function findProject(client: Client, named: string): Promise<Project> {
  const all = await allProjects(client);
  const project = matchingProject(all, named);
  if (project) return project;
  throw new Failure(`there is no project ${named}; ${candidates(all, named)}`);
}

export function matchingProject(all: Project[], named: string): Project | undefined {
  const exact = all.find(({ id, name }) => id === named || name === named);
  if (exact) return exact;
  const found = all.filter(({ name, slug }) => name.toLowerCase() === named.toLowerCase() || slug === named);
  if (found.length > 1) throw new Failure(`${named} is ambiguous: ${found.map(label).join(' or ')}; use the id`);
  return found[0];
}

const label = ({ id, name }: Project) => `${plainText(name)} (${id})`;

export const nearestProject = (all: Project[], named: string): string | undefined =>
  closestMatch(
    named,
    all.flatMap(({ name, slug }) => [name, slug]),
  );

function candidates(all: Project[], named: string): string {
  const near = nearestProject(all, named);
  if (near) return `did you mean ${near}?`;
  if (!all.length) return 'there are none yet; create one with: mooring deploy';
  const names = all.slice(0, 10).map(({ name }) => name);
  return `there are ${names.join(', ')}${all.length > names.length ? ' and more (mooring project list)' : ''}`;
}

/** Finds a deployment by its id, or lets `pick` choose among those of a project's environment, newest first. */
export async function findDeployment(
  client: Client,
  named: string | Project,
  environment: string | undefined,
  pick: (deployments: Deployment[]) => Deployment | undefined,
  otherwise: string,
): Promise<Deployment> {
  const isGiven = typeof named === 'string';
  if (isGiven && named.startsWith('dep_')) return requireEnvironment(await deploymentById(client, named), environment);
  const project = isGiven ? await findProject(client, named) : named;
  const found = pick(await deploymentsIn(client, project.id, environment));
  if (found) return found;
  throw new Failure(
    `${project.name} has ${otherwise} in ${environment || production}; see: mooring deployments --project ${project.slug}`,
  );
}

function requireEnvironment(deployment: Deployment, environment: string | undefined): Deployment {
  if (!environment || deployment.environment === environment) return deployment;
  const [is, isNot] = [deployment.environment, environment].map(plainText);
  throw new Failure(`${deployment.id} is a deployment to ${is}, not to ${isNot}`);
}

export async function deploymentById(client: Client, id: string): Promise<Deployment> {
  try {
    return (await unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } }))).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new Failure(`there is no deployment ${id}; see: mooring deployments`);
    throw error;
  }
}

/** Returns the newest deployments of one project or of all, page by page. */
export async function deploymentsOf(
  client: Client,
  projectId: string | undefined,
  count: number,
  filter: { environment?: string; latest?: 'true'; active?: 'true'; status?: 'ready'; cursor?: string } = {},
): Promise<Deployment[]> {
  const found: Deployment[] = [];
  let { cursor } = filter;
  do {
    const query = { ...filter, limit: Math.min(100, count - found.length), projectId, cursor };
    const { data, nextCursor } = await unwrap(client.GET('/api/deployments', { params: { query } }));
    found.push(...data);
    cursor = nextCursor ?? undefined;
  } while (cursor && found.length < count);
  return found;
}

/** Returns the newest 100 deployments of an environment. If its active release is older, it follows, with 100 before. */
export async function deploymentsIn(
  client: Client,
  projectId: string,
  environment: string | undefined,
): Promise<Deployment[]> {
  const filter = { environment: environment || production };
  const newest = await deploymentsOf(client, projectId, 100, filter);
  if (newest.length < 100 || newest.some(({ active }) => active)) return newest;
  const active = await activeRelease(client, projectId, environment);
  if (!active) return newest;
  return [...newest, active, ...(await deploymentsOf(client, projectId, 100, { ...filter, cursor: active.id }))];
}

/** Returns the release that serves an environment. */
export async function activeRelease(
  client: Client,
  projectId: string,
  environment?: string,
): Promise<Deployment | undefined> {
  const filter = { environment: environment || production, active: 'true' } as const;
  const [active] = await deploymentsOf(client, projectId, 1, filter);
  return active;
}

/** A deployment that has not planned its services yet may still contain it. */
export function requireService(deployment: Deployment, service: string): void {
  const names = deployment.services.map(({ name }) => name);
  if (names.includes(service) || isInProgress(deployment)) return;
  const has = names.length
    ? `it has ${names.map((name) => plainText(name)).join(', ')}`
    : 'it is an app without services';
  throw new Failure(`${deployment.id} has no service ${plainText(service)}; ${has}`);
}
