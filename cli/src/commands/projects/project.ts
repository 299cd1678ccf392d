import { ApiError, type Client, type Schemas, unwrap } from '@mooring/client';
import { type Command, defineCommand } from '../../command.ts';
import { applyNow, applyOption, noteTakesEffectLater } from '../../deployments/apply.ts';
import { troubleOf } from '../../deployments/containers.ts';
import {
  allProjects,
  type Deployment,
  deploymentsIn,
  deploymentsOf,
  findProject,
  type Project,
} from '../../deployments/find.ts';
import { Failure, UsageError } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { aligned, type Column, plainText, shortTime, table } from '../../output.ts';
import { projectChangeOf, projectFields, projectFieldText } from '../../projects/fields.ts';
import { placeOf, volumesOf } from '../../projects/volumes.ts';
import { projectStatuses, statusText } from '../../projects/status.ts';
import { promptText, isInteractive } from '../../prompt.ts';
import { allServers, findServer } from '../../servers/find.ts';
import { ago, countWithNoun } from '../../format.ts';

type Recipe = Schemas['BuildState']['recipe'];

const columnsWith = (statusOf: ((project: Project) => string) | undefined): Column<Project>[] => [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'SLUG', value: ({ slug }) => slug },
  { heading: 'ADDRESS', value: ({ url }) => url },
  ...(statusOf ? [{ heading: 'STATUS', value: statusOf }] : []),
  { heading: 'SOURCE', value: ({ source }) => sourceText(source) },
  { heading: 'CREATED', value: ({ createdAt }) => shortTime(createdAt) },
];

const list = defineCommand({
  name: 'project list',
  summary: 'List projects',
  async run({ out, instance }) {
    const client = signedInClient(instance());
    out.list(await allProjects(client), columnsWith(await projectStatuses(client)));
  },
});

/** The former name of `project list`. */
const projects: Command = { ...list, name: 'projects', hidden: true };

const show = defineCommand({
  name: 'project show',
  parameters: ['[project]'],
  summary: 'Show a project: its address, its settings, and what its release uses',
  description: 'Default: the project of this folder. Settings without a value are detected from the source.',
  async run({ args: [given], out, instance }) {
    const client = signedInClient(instance());
    const project = await projectHere(client, given);
    const deployments = await deploymentsIn(client, project.id, undefined);
    const current = currentOf(deployments);
    const recipe = current ? await recipeOf(client, current) : null;
    const server = project.serverId && (await allServers(client)).find(({ id }) => id === project.serverId)?.name;
    const trouble = current?.active && !out.json ? await troubleOf(client, current.id) : undefined;
    const facts = { deployments, server: server ?? 'this machine', trouble };
    out.print({ ...project, recipe }, () => [factLines(project, facts), '', settingsTable(project, recipe)].join('\n'));
  },
});

async function recipeOf(client: Client, { id }: Deployment): Promise<Recipe> {
  return (await unwrap(client.GET('/api/deployments/{id}/build', { params: { path: { id } } }))).data.recipe;
}

/** The active release, or else the newest deployment. */
const currentOf = (all: Deployment[]) => all.find(({ active }) => active) ?? all[0];

type Facts = { deployments: Deployment[]; server: string; trouble: string | undefined };

function factLines(project: Project, { deployments, server, trouble }: Facts): string {
  const current = currentOf(deployments);
  const lines = [
    ['Project', `${project.name} (${project.id})`],
    ['Address', `${current?.urls[0] ?? project.url} (slug ${project.slug})`],
    ['Status', [statusText(deployments[0], current?.active === true), trouble].filter(Boolean).join('; ')],
    ['Source', sourceText(project.source)],
    ['Server', project.deployTarget === 'cloud' ? 'the cloud' : server],
    ['Created', shortTime(project.createdAt)],
    ['Deployed', current ? `${ago(current.timing.createdAt)} (${current.id}, ${current.status})` : 'never'],
  ];
  return lines.map((line) => aligned(line.map(plainText), [8])).join('\n');
}

function settingsTable(project: Project, recipe: Recipe): string {
  const names = Object.keys(projectFields).filter((name) => !['name', 'slug', 'server'].includes(name));
  return table(names, [
    { heading: 'FIELD', value: (name) => name },
    { heading: 'SET', value: (name) => projectFieldText(project, name) || '-' },
    { heading: 'IN USE', value: (name) => recipe?.[name as keyof NonNullable<Recipe>] ?? '' },
  ]);
}

const create = defineCommand({
  name: 'project create',
  parameters: ['<name>'],
  summary: 'Create a project without deploying it',
  description: [
    'Set its variables and settings, then deploy a folder to it: mooring deploy --project <name>',
    'With --git, deploy the repository instead: mooring deploy --git --project <name>',
  ].join('\n'),
  options: {
    git: { type: 'string', value: '<url>', help: 'URL of the git repository to deploy from' },
    branch: { type: 'string', value: '<branch>', help: 'with --git: branch; the default branch unless given' },
    server: { type: 'string', value: '<server>', help: 'name or id of the server to deploy to' },
  },
  async run({ args: [name = ''], values: { git, branch, server }, out, instance }) {
    if (branch && !git) throw new UsageError('--branch goes with --git');
    const client = signedInClient(instance());
    const body = {
      name,
      ...(git && { source: { type: 'git' as const, url: git, ...(branch && { branch }) } }),
      ...(server && { serverId: (await findServer(client, server)).id }),
    };
    const { data } = await unwrap(client.POST('/api/projects', { body }));
    out.print(data, () => `${plainText(data.name)} is created. Its address will be ${data.url}`);
    out.note(`Deploy it: mooring deploy ${git ? '--git ' : ''}--project ${data.slug}`);
  },
});

const set = defineCommand({
  name: 'project set',
  parameters: ['<project>', '[field=value...]'],
  summary: 'Change settings of a project',
  description: [
    'mooring project set blog startCommand="node server.js" healthCheck.path=/healthz',
    '--unset field restores detection or the default, and so does field=, except for the install, build and release',
    'commands: an empty one means that there is none.',
    '',
    ...Object.entries(projectFields).map(([name, { help }]) => `  ${aligned([name, help], [26])}`),
  ].join('\n'),
  options: {
    unset: { type: 'string', multiple: true, value: '<field>', help: 'restore the default of a field; repeatable' },
    apply: applyOption,
  },
  async run({ args: [named = '', ...assignments], values, out, instance }) {
    const { unset = [] } = values;
    if (!assignments.length && !unset.length)
      throw new UsageError('nothing to change: give field=value or --unset <field>; see: mooring project set --help');
    const here = instance();
    const client = signedInClient(here);
    const before = await findProject(client, named);
    const body = await projectChangeOf(client, before, { set: assignments, unset });
    const path = { id: before.id };
    const { data } = await unwrap(client.PATCH('/api/projects/{id}', { params: { path }, body }));
    const changed = Object.keys(projectFields).filter(
      (name) => projectFieldText(before, name) !== projectFieldText(data, name),
    );
    if (values.apply) {
      out.note(changes(data, changed));
      return applyNow(here, data, out);
    }
    out.print(data, () => changes(data, changed));
    if (changed.some((name) => projectFields[name]!.isOfRelease)) await noteTakesEffectLater(client, data, out);
  },
});

function changes(after: Project, changed: string[]): string {
  if (!changed.length) return `${plainText(after.name)} already has these settings.`;
  return changed
    .map((name) => {
      const value = projectFieldText(after, name);
      return value ? `${name} is set to ${plainText(value)}.` : `${name} is unset.`;
    })
    .join('\n');
}

const remove = defineCommand({
  name: 'project delete',
  parameters: ['<project>'],
  summary: 'Delete a project with its releases, deployments, variables and domains',
  description: 'Volumes are kept unless --volumes is given. At a terminal the name of the project is asked for.',
  options: {
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
    volumes: { type: 'boolean', help: 'delete its volumes too, with the data in them' },
    abandon: { type: 'boolean', help: 'give up what runs on a server or cloud that does not respond' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const { id, name } = project;
    if (!values.yes) await confirmDeletion(client, project, values.volumes ?? false);
    const query = {
      ...(values.volumes && { volumes: 'true' as const }),
      ...(values.abandon && { abandon: 'true' as const }),
    };
    const kept = values.volumes ? [] : await dataOf(client, project, values.abandon);
    await unwrap(client.DELETE('/api/projects/{id}', { params: { path: { id }, query } }));
    out.print({ id, name, deleted: true, kept }, () => `${plainText(name)} is deleted.`);
    if (kept === null) out.note('If it has volumes, their data is kept.');
    if (!kept?.length) return;
    const machine = project.serverId === null ? 'the machine of Mooring' : 'its server';
    out.note(`The data of its volumes is kept on ${machine}, where only an administrator can reach it:`);
    for (const place of kept) out.note(`  ${plainText(place)}`);
  },
});

/** Where the data of its volumes is; null if that is unknown, for example because its server does not answer. */
async function dataOf(client: Client, project: Project, isGivenUp = false): Promise<string[] | null> {
  if (isGivenUp || project.deployTarget === 'cloud') return null;
  try {
    const found = await Promise.all([volumesOf(client, project), volumesOf(client, project, true)]);
    return [...new Set(found.flat().flatMap((volume) => placeOf(volume, project) ?? []))];
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function confirmDeletion(client: Client, project: Project, withVolumes: boolean): Promise<void> {
  const { id, name } = project;
  if (!isInteractive()) throw new Failure(`${name} was not deleted; confirm the deletion with --yes`);
  const path = { params: { path: { id } } };
  const [deployments, variables, domains, volumes] = await Promise.all([
    deploymentsOf(client, id, 1000),
    unwrap(client.GET('/api/projects/{id}/variables', path)),
    unwrap(client.GET('/api/projects/{id}/domains', path)),
    volumesOf(client, project),
  ]);
  const counts = [
    countWithNoun(deployments.length, 'deployment'),
    countWithNoun(variables.data.length, 'variable'),
    countWithNoun(domains.data.length, 'domain'),
    ...(withVolumes ? [`${countWithNoun(volumes.length, 'volume')} with all data`] : []),
  ];
  const kept = !withVolumes && volumes.length ? ` ${countWithNoun(volumes.length, 'volume')} will be kept.` : '';
  const serves = deployments.some(({ active }) => active) ? ` ${project.url} will stop serving.` : '';
  process.stderr.write(`${plainText(`Deletes the project ${name} with ${counts.join(', ')}.${serves}${kept}`)}\n`);
  const answer = await promptText(`Type ${plainText(name)} to confirm`);
  if (answer !== name) throw new Failure(`${name} was not deleted`);
}

function sourceText(source: Project['source']): string {
  if (source.type === 'githost') return `${source.owner}/${source.repo}`;
  if (source.type === 'git') return source.url;
  return source.type === 'local' ? source.path : source.type;
}

export const projectCommands = [list, projects, show, create, set, remove];
