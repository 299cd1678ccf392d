import { type Client, unwrap } from '@mooring/client';
import {
  allProjects,
  deploymentsOf,
  findProject,
  matchingProject,
  nearestProject,
  type Project,
} from '../deployments/find.ts';
import { Failure, UsageError } from '../errors.ts';
import type { Instance } from '../instance.ts';
import { aligned, type Output, plainText } from '../output.ts';
import { promptText, confirm, isInteractive } from '../prompt.ts';
import { ago } from '../format.ts';
import { guessOf, type NamedProject, projectNameOf, writeLink } from './project-name.ts';

type Choice = {
  /** `--project`: this one, created if it does not exist. */
  project?: string | undefined;
  /** `--new`: a new one; empty without a name. */
  new?: string | undefined;
  /** `--yes`: a new project may get another address than its name suggests, or a name like that of another one. */
  yes?: boolean | undefined;
  /** The server to deploy to. */
  serverId?: string | undefined;
};

type Place = { client: Client; instance: Instance; folder: string };

/** `link`: whether to link the folder to it. */
type Chosen = { project: Project; source: string; isNew: boolean; link: boolean };

/** The existing project that the folder is linked to, or shares its name with. */
export async function projectOfFolder(client: Client, folder: string, given?: string): Promise<Project> {
  const named = projectNameOf(folder, given);
  if (named.source === '--project') return findProject(client, named.name);
  const all = await allProjects(client);
  const isLink = named.source === 'mooring.json';
  const found = isLink ? linkedAmong(all, named) : matchingProject(all, named.name);
  if (found) return found;
  if (isLink) throw new Failure(`${brokenLink(named)}; name a project`);
  throw new Failure(`this folder is not linked to a project, and no project is called ${named.name}; name a project`);
}

/** The project that a command names; by default, that of the current folder. */
export const projectHere = (client: Client, named: string | undefined): Promise<Project> =>
  named === undefined ? projectOfFolder(client, '.') : findProject(client, named);

/** What a command that changes a deployment names. Its default is the project that the current folder is linked to,
 * because one that only has the same name may be unrelated. */
export async function deploymentOrLinked(
  client: Client,
  named: string | undefined,
  out: Output,
): Promise<string | Project> {
  if (named !== undefined) return named;
  if (!isLinked('.')) throw new UsageError('this folder is not linked to a project; name a project or a deployment');
  const project = await projectOfFolder(client, '.');
  out.note(`Project ${plainText(project.name)} (named by mooring.json)`);
  return project;
}

/** The name of the project that a deployment of the folder would create; undefined if there is one already. */
export async function nameOfNewProject(client: Client, folder: string, given?: string): Promise<string | undefined> {
  const { name, source } = projectNameOf(folder, given);
  if (source === 'mooring.json' || name.startsWith('prj_')) return undefined;
  return matchingProject(await allProjects(client), name) ? undefined : name;
}

/** Chooses the project to deploy the folder to. Prompts before any surprise, and refuses it without a terminal. */
export async function chooseProject(place: Place, choice: Choice, out: Output): Promise<Chosen> {
  if (choice.new !== undefined && choice.project)
    throw new UsageError('--project and --new cannot be combined; name the new project with --new=<name>');
  const all = await allProjects(place.client);
  const chosen = await chosenAmong(place, all, choice);
  const { data: me } = await unwrap(place.client.GET('/api/me'));
  out.note(summary(chosen, me.organization?.name ?? '-', place.instance.url));
  return chosen;
}

/** Links the folder to the project, unless it is already linked. */
export function linkFolder(folder: string, { project, link: isToLink }: Chosen, out: Output): void {
  if (!isToLink) return;
  const problem = writeLink(folder, project);
  if (problem === undefined) out.note('mooring.json links this folder to the project.');
  else out.note(`mooring.json was not written (${problem}). Next time: mooring deploy --project ${project.slug}`);
}

async function chosenAmong(place: Place, all: Project[], choice: Choice): Promise<Chosen> {
  if (choice.new !== undefined) return newProject(place, all, choice.new || nameOf(place.folder), '--new', choice);
  const named = projectNameOf(place.folder, choice.project);
  if (named.source === 'mooring.json') return linkedProject(place, all, named, choice);
  const existing = matchingProject(all, named.name);
  if (existing && named.source === '--project')
    return { project: existing, source: '--project', isNew: false, link: !isLinked(place.folder) };
  if (existing) return insteadOf(place, all, { existing, named, choice }, 'This folder is not linked to a project');
  if (named.name.startsWith('prj_')) throw new Failure(`there is no project ${named.name}; see: mooring project list`);
  if (named.source === '--project' && isLinked(place.folder) && !choice.yes) await confirmName(all, named.name);
  return newProject(place, all, named.name, named.source, choice);
}

/** A misspelt name must not create a project beside the one that the folder is linked to. */
async function confirmName(all: Project[], name: string): Promise<void> {
  const near = nearestProject(all, name);
  const withoutDigits = (text: string) => text.replaceAll(/\d/g, '');
  if (near === undefined || withoutDigits(near) === withoutDigits(name)) return;
  const question = `there is no project ${name}; did you mean ${near}?`;
  if (!isInteractive()) throw new Failure(`${question} To create ${name}, add --yes`);
  process.stderr.write(`${plainText(question)}\n`);
  if (!(await confirm(`Create a new project ${plainText(name)}?`))) throw nothingDeployed();
}

async function linkedProject(place: Place, all: Project[], named: NamedProject, choice: Choice): Promise<Chosen> {
  const project = linkedAmong(all, named);
  if (project) return { project, source: 'mooring.json', isNew: false, link: false };
  const existing = matchingProject(all, named.name);
  if (existing) return insteadOf(place, all, { existing, named, choice }, brokenLink(named));
  const refusal = `${brokenLink(named)}. Create it again with --new, or name another project with --project <project>`;
  if (!isInteractive()) throw new Failure(refusal);
  process.stderr.write(`${plainText(brokenLink(named))}.\n`);
  if (!(await confirm(`Create a new project ${plainText(named.name)}?`))) throw nothingDeployed();
  return newProject(place, all, named.name, 'mooring.json', choice);
}

/** By id if the link has one: another project of the same name is not the same. */
const linkedAmong = (all: Project[], { id, name }: NamedProject): Project | undefined =>
  id === undefined ? matchingProject(all, name) : all.find((each) => each.id === id);

const brokenLink = ({ id, name }: NamedProject): string =>
  `mooring.json links this folder to the project ${name}${id ? ` (${id})` : ''}, which does not exist here: ` +
  'it was deleted, or it belongs to another organization or instance';

type Instead = { existing: Project; named: NamedProject; choice: Choice };

/** A project of the same name may be unrelated to this folder: its release would be replaced. */
async function insteadOf(
  place: Place,
  all: Project[],
  { existing, named, choice }: Instead,
  why: string,
): Promise<Chosen> {
  const exists = `${why}. A project called ${existing.name} exists (${await lastDeployed(place.client, existing)})`;
  if (!isInteractive())
    throw new Failure(
      `${exists}. To deploy this folder to it: --project ${existing.slug}. To create another project: --new=<name>`,
    );
  process.stderr.write(`${plainText(exists)}.\n`);
  for (;;) {
    const answer = (await promptText('Deploy this folder to it (yes, no, new)', 'no')).toLowerCase();
    if (/^y(es)?$/.test(answer)) return { project: existing, source: named.source, isNew: false, link: true };
    if (/^no?$/.test(answer)) throw nothingDeployed();
    if (answer === 'new') return newProject(place, all, await promptText('Name of the new project'), '--new', choice);
    process.stderr.write('Answer with one of yes, no, new.\n');
  }
}

async function lastDeployed(client: Client, { id }: Project): Promise<string> {
  const [last] = await deploymentsOf(client, id, 1);
  if (!last) return 'never deployed';
  const when = `last deployed ${ago(last.timing.createdAt)}`;
  const { data: me } = await unwrap(client.GET('/api/me'));
  if (last.createdBy === me.user.id) return `${when} by you`;
  if (!me.organization?.permissions.includes('member:list')) return when;
  const { data: members } = await unwrap(client.GET('/api/members'));
  const member = members.find(({ userId }) => userId === last.createdBy);
  return member ? `${when} by ${member.email}` : when;
}

async function newProject(
  { client, folder }: Place,
  all: Project[],
  name: string,
  source: NamedProject['source'] | '--new',
  { yes, serverId }: Choice,
): Promise<Chosen> {
  if (!name) throw nothingDeployed();
  if (all.some((each) => each.name === name))
    throw new Failure(`a project called ${name} exists; choose another name with --new=<name>`);
  const query = { name, ...(serverId && { serverId }) };
  const { data: address } = await unwrap(client.GET('/api/projects/new-address', { params: { query } }));
  if (address.reason && !yes) await acceptAddress(name, address);
  const body = { name, slug: address.slug };
  const { data: project } = await unwrap(client.POST('/api/projects', { body }));
  // A single deployment to another project does not relink the folder.
  const isToLink = source !== '--project' || !isLinked(folder);
  return { project: { ...project, url: address.url }, source, isNew: true, link: isToLink };
}

/** The name is reserved, or its slug is taken: the project would get an unexpected address. */
async function acceptAddress(
  name: string,
  { slug, url, wanted, reason }: { slug: string; url: string; wanted: string; reason: string | null },
): Promise<void> {
  const why = reason === 'reserved' ? `The slug ${wanted} is reserved` : `The slug ${wanted} is taken`;
  const sentence = `${why}: the new project ${name} would get the slug ${slug} and the address ${url}`;
  if (!isInteractive())
    throw new Failure(`${sentence}. Accept that with --yes, or choose another name with --new=<name>`);
  process.stderr.write(`${plainText(sentence)}.\n`);
  if (!(await confirm('Create it?'))) throw nothingDeployed();
}

const nothingDeployed = () =>
  new Failure('nothing was deployed; name a project with --project, or create one with --new');

const isLinked = (folder: string): boolean => projectNameOf(folder, undefined).source === 'mooring.json';
const nameOf = (folder: string): string => (isLinked(folder) ? projectNameOf(folder, undefined) : guessOf(folder)).name;

function summary({ project, source, isNew }: Chosen, organization: string, instance: string): string {
  const lines = [
    [isNew ? 'New project' : 'Project', `${project.name} (named by ${source})`],
    ['Address', `${project.url} (slug ${project.slug})`],
    ['Organization', `${organization}, at ${instance}`],
  ];
  return lines.map((line) => aligned(line.map(plainText), ['Organization'.length])).join('\n');
}
