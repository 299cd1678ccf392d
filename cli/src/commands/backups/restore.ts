import { existsSync, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Client, formatBytes, type Schemas, unwrap } from '@mooring/client';
import {
  allDestinations,
  type Backup,
  findBackup,
  findDestination,
  restoreById,
  restoresOf,
} from '../../backups/find.ts';
import { detachOption, followRestore, resultLines } from '../../backups/follow.ts';
import { namesById, restoreColumns, restoreLines } from '../../backups/show.ts';
import { sourceText } from '../../backups/source-names.ts';
import { defineCommand } from '../../command.ts';
import { allProjects, findProject, type Project } from '../../deployments/find.ts';
import { Failure, UsageError } from '../../errors.ts';
import { type Instance, signedInClient } from '../../instance.ts';
import { type Output, plainText, shortTime } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';
import { wholeNumber } from '../../whole-number.ts';

type Body = Schemas['RestoreBody'];

const yes = { type: 'boolean', short: 'y', help: 'do not ask' } as const;

const targetOptions = {
  'in-place': { type: 'boolean', help: 'replace the current data' },
  new: { type: 'boolean', help: 'restore to new volumes and databases' },
  scratch: { type: 'boolean', help: 'restore to a scratch place, to look at the data' },
  source: {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'only this one, such as volume-uploads; repeatable',
  },
  'to-project': { type: 'string', value: '<project>', help: 'restore to another project' },
  environment: { type: 'string', value: '<name>', help: 'restore to another environment' },
  name: {
    type: 'string',
    multiple: true,
    value: '<source>=<name>',
    help: 'with --new: name of the new volume or database; repeatable',
  },
  path: { type: 'string', value: '<path>', help: 'one file or folder of a volume; with --new or --scratch' },
  query: { type: 'string', value: '<query>', help: 'with --scratch: read-only query to prove the data with' },
  yes,
  detach: detachOption,
} as const;

type TargetValues = {
  'in-place'?: boolean | undefined;
  new?: boolean | undefined;
  scratch?: boolean | undefined;
  source?: string[] | undefined;
  'to-project'?: string | undefined;
  environment?: string | undefined;
  name?: string[] | undefined;
  path?: string | undefined;
  query?: string | undefined;
  yes?: boolean | undefined;
  detach?: boolean | undefined;
};

const backup = defineCommand({
  name: 'restore backup',
  parameters: ['<backup>'],
  summary: 'Restore a backup in place, to new volumes and databases, or to a scratch place',
  description: [
    'A policy, or a project with one policy, stands for its newest completed backup.',
    '--in-place takes a backup of the current data first, and can be undone: mooring restore undo.',
    '--new creates volumes and databases beside the current ones. --scratch restores to a place that nothing uses, and',
    'removes it after a day. Every archive is checked before anything is changed. Exits with 1 if the restore fails.',
  ].join('\n'),
  options: targetOptions,
  async run({ args: [named = ''], values, out, instance }) {
    const target = targetIn(values);
    const here = instance();
    await restoreChosen(here, await findBackup(signedInClient(here), named), target, values, out);
  },
});

/** Restores an archive of any instance: imports its key and the archive, then restores that. */
const archive = defineCommand({
  name: 'restore archive',
  parameters: ['<file>'],
  summary: 'Restore an archive file, also of another instance',
  description: [
    'Stores the archive at a destination as a backup of the project, and restores it like any other.',
    'mooring restore archive volume-uploads.tar.zst.age --key backup-keys.txt --to-project blog --in-place',
  ].join('\n'),
  options: {
    ...targetOptions,
    key: { type: 'string', value: '<file>', help: 'exported key that the archive was encrypted with' },
    destination: { type: 'string', value: '<name>', help: 'where to store it; default: the default destination' },
  },
  async run({ args: [file = ''], values, out, instance }) {
    const target = targetIn(values);
    if (!values['to-project']) throw new UsageError('name the project with --to-project');
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, values['to-project']);
    const destination = values.destination
      ? await findDestination(client, values.destination)
      : (await allDestinations(client)).find(({ isDefault }) => isDefault);
    if (!destination) throw new Failure('there is no default destination; choose one with --destination');
    if (!existsSync(file)) throw new Failure(`there is no file ${file}`);
    const content = await openAsBlob(file);
    if (values.key) {
      const identities = await readFile(values.key, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new Failure(error.code === 'ENOENT' ? `there is no file ${values.key}` : error.message);
      });
      await unwrap(client.POST('/api/backup-keys/import', { body: { identities } }));
    }
    const query = {
      projectId: project.id,
      destinationId: destination.id,
      encrypted: file.endsWith('.age') ? ('true' as const) : ('false' as const),
      ...(values.environment && { environment: values.environment }),
    };
    out.note(`Storing ${plainText(basename(file))} (${formatBytes(content.size)}) at ${plainText(destination.name)}`);
    const headers = { 'content-type': 'application/octet-stream' };
    const sent = {
      params: { query },
      headers,
      body: content as never,
      bodySerializer: (body: unknown) => body as Blob,
    };
    const { data } = await unwrap(client.POST('/api/backups/import', sent));
    const { 'to-project': _project, ...others } = values;
    await restoreChosen(here, data, target, others, out);
  },
});

function targetIn(values: TargetValues): Body['target'] {
  const targets = [
    ...(values['in-place'] ? (['in-place'] as const) : []),
    ...(values.new ? (['new-volume'] as const) : []),
    ...(values.scratch ? (['scratch'] as const) : []),
  ];
  const [target] = targets;
  if (!target || targets.length > 1) throw new UsageError('choose one of --in-place, --new and --scratch');
  if (values.name && target !== 'new-volume') throw new UsageError('--name goes with --new');
  if (values.query && target !== 'scratch') throw new UsageError('--query goes with --scratch');
  return target;
}

async function restoreChosen(
  here: Instance,
  chosen: Backup,
  target: Body['target'],
  values: TargetValues,
  out: Output,
): Promise<void> {
  const client = signedInClient(here);
  const project = await targetProject(client, chosen, values['to-project']);
  const sources = values.source?.flatMap((each) => each.split(',')).map((each) => sourceName(chosen, each));
  const body: Body = {
    target,
    ...(values['to-project'] && { projectId: project.id }),
    ...(values.environment && { environment: values.environment }),
    ...(sources && { sources }),
    ...(values.name && { names: newNames(chosen, values.name) }),
    ...(values.path && { path: values.path }),
    ...(values.query && { query: values.query }),
    ...(target === 'in-place' && { confirm: true }),
  };
  if (target === 'in-place' && !values.yes) await confirmReplacement(chosen, project, sources);
  const params = { path: { id: chosen.id } };
  const { data } = await unwrap(client.POST('/api/backups/{id}/restore', { params, body }));
  await followRestore(here, data, out, values);
}

async function targetProject(client: Client, { id, projectId }: Backup, named: string | undefined): Promise<Project> {
  if (named !== undefined) return findProject(client, named);
  if (projectId === null) throw new UsageError('name the project with --to-project');
  const own = (await allProjects(client)).find((each) => each.id === projectId);
  if (own) return own;
  throw new Failure(`the project of ${id} was deleted; name another one with --to-project`);
}

/** The name of an archive, also by its type and name. */
function sourceName({ id, archives }: Backup, word: string): string {
  const found = archives.find(({ name, source }) => name === word || sourceText(source) === word);
  if (found) return found.name;
  const names = [...new Set(archives.map(({ name }) => name))].join(', ');
  throw new Failure(`${id} has no ${word}; it has ${names}`);
}

const newNames = (chosen: Backup, given: string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((each) => {
      const equals = each.lastIndexOf('=');
      if (equals < 1) throw new UsageError(`${each} is not of the form source=name`);
      return [sourceName(chosen, each.slice(0, equals)), each.slice(equals + 1)];
    }),
  );

async function confirmReplacement(chosen: Backup, project: Project, sources: string[] | undefined): Promise<void> {
  const unique = new Map(chosen.archives.map((each) => [each.name, each]));
  const replaced = [...unique.values()].filter(({ name }) => !sources || sources.includes(name));
  const lines = [
    `This replaces data of ${project.name} with the backup of ${shortTime(chosen.createdAt)}:`,
    ...replaced.map(({ name, contentBytes }) => `  ${name} (${formatBytes(contentBytes)})`),
    '1. Mooring checks the archives, and takes a backup of the current data.',
    '2. The services that use the data stop while it is replaced, and start again afterwards.',
    '3. You can undo it afterwards: mooring restore undo <restore>',
  ];
  if (!isInteractive()) throw new Failure('nothing was changed; confirm the replacement of the data with --yes');
  process.stderr.write(`${lines.map(plainText).join('\n')}\n`);
  if (!(await confirm('Restore in place?'))) throw new Failure('nothing was changed');
}

const list = defineCommand({
  name: 'restore list',
  parameters: ['[project]'],
  summary: 'List restores and drills, newest first',
  options: { limit: { type: 'string', value: '<n>', help: 'number of restores; default 20' } },
  async run({ args: [named], values, out, instance }) {
    const limit = wholeNumber('limit', values.limit) ?? 20;
    const client = signedInClient(instance());
    const project = named === undefined ? undefined : await findProject(client, named);
    const projects = namesById(project ? [project] : await allProjects(client));
    out.list(await restoresOf(client, { projectId: project?.id }, limit), restoreColumns(projects));
  },
});

const show = defineCommand({
  name: 'restore show',
  parameters: ['<restore>'],
  summary: 'Show a restore or drill, and what proves it',
  async run({ args: [id = ''], out, instance }) {
    const restore = await restoreById(signedInClient(instance()), id);
    out.print(restore, () => [restoreLines(restore), ...resultLines(restore)].join('\n'));
  },
});

const undo = defineCommand({
  name: 'restore undo',
  parameters: ['<restore>'],
  summary: 'Undo a restore in place',
  description: 'Restores the backup that was taken before it. Services that use the data stop meanwhile.',
  options: { yes, detach: detachOption },
  async run({ args: [id = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    await restoreById(client, id);
    const question = `Undo ${plainText(id)}? Data that was written since is replaced, after a backup of it.`;
    if (!values.yes && !isInteractive()) throw new Failure('nothing was changed; confirm it with --yes');
    if (!values.yes && !(await confirm(question))) throw new Failure('nothing was changed');
    const { data } = await unwrap(client.POST('/api/restores/{id}/undo', { params: { path: { id } } }));
    await followRestore(here, data, out, values);
  },
});

const cancel = defineCommand({
  name: 'restore cancel',
  parameters: ['<restore>'],
  summary: 'Cancel a running restore; one in place is undone',
  async run({ args: [id = ''], out, instance }) {
    const client = signedInClient(instance());
    await restoreById(client, id);
    const { data } = await unwrap(client.POST('/api/restores/{id}/cancel', { params: { path: { id } } }));
    out.print(data, () => `${id} is ${data.status === 'cancelled' ? 'cancelled' : 'being cancelled'}.`);
  },
});

export const restoreCommands = [backup, archive, list, show, undo, cancel];
