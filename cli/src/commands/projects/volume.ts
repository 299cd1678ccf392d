import { posix } from 'node:path';
import { formatBytes, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { applyNow, applyOption, noteTakesEffectLater } from '../../deployments/apply.ts';
import { environmentOption, findProject, type Project } from '../../deployments/find.ts';
import { download } from '../../download.ts';
import { Failure, UsageError } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { type Volume, volumesOf } from '../../projects/volumes.ts';
import { type Column, plainText, shortTime } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';

type Entry = Schemas['VolumeEntry'];

const columns: Column<Volume>[] = [
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'PATH', value: ({ path }) => path ?? '-' },
  { heading: 'SERVICE', value: ({ service }) => service ?? '-' },
  { heading: 'ENVIRONMENT', value: ({ environment }) => environment },
  { heading: 'SIZE', value: ({ sizeBytes }) => (sizeBytes === null ? '-' : formatBytes(sizeBytes)) },
  { heading: 'STATE', value: stateOf },
];

function stateOf({ inUse, pending, origin, deleting }: Volume): string {
  if (deleting) return 'being deleted';
  if (pending) return inUse ? 'moves with the next deployment' : 'mounted by the next deployment';
  const from = origin === 'project' ? '' : ` (${origin === 'image' ? 'declared by the image' : 'compose file'})`;
  return `${inUse ? 'in use' : 'not in use'}${from}`;
}

const list = defineCommand({
  name: 'volume list',
  parameters: ['[project]'],
  summary: 'List the volumes of a project',
  description: 'Default: the project of this folder.',
  options: { orphans: { type: 'boolean', help: 'data of removed volumes, and unnamed data of version 0.1.0' } },
  async run({ args: [named], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await projectHere(client, named);
    const found = await volumesOf(client, project, values.orphans);
    out.list(found, columns);
    if (values.orphans && found.length)
      out.note(
        `Bring one back: mooring volume add ${project.slug} <name> <path>, with --from <id> if its name is an id.`,
      );
  },
});

const add = defineCommand({
  name: 'volume add',
  parameters: ['<project>', '<name>', '<path>'],
  summary: 'Add a volume: a folder that outlives deployments',
  description: [
    'The path is relative to the folder of the app: mooring volume add blog uploads public/uploads. In a container it can be',
    'absolute. Mounted by the next deployment, or immediately with --apply. Adding a removed name brings its data back.',
    'A release with a volume stops before the next one starts, and requests wait meanwhile; --overlap lets both run.',
  ].join('\n'),
  options: {
    service: { type: 'string', value: '<service>', help: 'service, if there are several' },
    environment: environmentOption,
    overlap: { type: 'boolean', help: 'two releases may write to it at the same time' },
    from: { type: 'string', value: '<id>', help: 'use the data of an unused volume from --orphans' },
    apply: applyOption,
  },
  async run({ args: [named = '', name = '', path = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const { service, environment, overlap, from } = values;
    const body = {
      name,
      path,
      ...(service && { service }),
      ...(environment && { environment }),
      ...(overlap && { overlap }),
      ...(from && { from }),
    };
    const params = { path: { id: project.id } };
    const { data } = await unwrap(client.POST('/api/projects/{id}/volumes', { params, body }));
    const sentence = `The volume ${plainText(name)} is added at ${plainText(data.path ?? path)}.`;
    if (values.apply) {
      out.note(sentence);
      return applyNow(here, project, out);
    }
    out.print(data, () => sentence);
    await noteTakesEffectLater(client, project, out);
  },
});

const remove = defineCommand({
  name: 'volume remove',
  parameters: ['<project>', '<name>'],
  summary: 'Remove a volume; its data is kept unless --delete-data',
  options: {
    environment: environmentOption,
    'delete-data': { type: 'boolean', help: 'delete its data for good, once no release uses it' },
    yes: { type: 'boolean', help: 'do not ask' },
  },
  async run({ args: [named = '', name = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const isForGood = values['delete-data'] ?? false;
    if (isForGood && !values.yes) await confirmDeletion(project, name);
    const query = {
      ...(values.environment && { environment: values.environment }),
      ...(isForGood && { data: 'delete' as const }),
    };
    const params = { path: { id: project.id, name }, query };
    await unwrap(client.DELETE('/api/projects/{id}/volumes/{name}', { params }));
    out.print({ name, removed: true, dataDeleted: isForGood }, () =>
      isForGood
        ? `The volume ${plainText(name)} is removed. Its data is deleted once no release uses it.`
        : `The next deployment does not mount ${plainText(name)}. Its data is kept: mooring volume list ${project.slug} --orphans`,
    );
  },
});

async function confirmDeletion(project: Project, name: string): Promise<void> {
  if (!isInteractive()) throw new Failure(`${name} was not removed; confirm the deletion of its data with --yes`);
  if (await confirm(`Delete all data of the volume ${plainText(name)} of ${plainText(project.name)}?`)) return;
  throw new Failure(`${name} was not removed`);
}

const entryColumns: Column<Entry>[] = [
  { heading: 'NAME', value: ({ name, type }) => (type === 'folder' ? `${name}/` : name) },
  { heading: 'SIZE', value: ({ sizeBytes }) => (sizeBytes === null ? '-' : formatBytes(sizeBytes)) },
  { heading: 'CHANGED', value: ({ modifiedAt }) => shortTime(modifiedAt) },
];

const files = defineCommand({
  name: 'volume files',
  parameters: ['<project>', '<name>', '[path]'],
  summary: 'List a folder of a volume, or download a file of it',
  description: 'mooring volume files blog data backups/today.sql --download writes today.sql into this folder.',
  options: {
    environment: environmentOption,
    download: { type: 'boolean', help: 'write the file at the path into this folder' },
    output: { type: 'string', value: '<file>', help: 'write it there instead' },
  },
  async run({ args: [named = '', name = '', path = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findProject(client, named);
    const query = { path, ...(values.environment && { environment: values.environment }) };
    const params = { path: { id, name }, query };
    if (values.download || values.output) {
      if (!path) throw new UsageError('name the file: mooring volume files <project> <name> <path> --download');
      const to = values.output ?? posix.basename(path);
      const url = '/api/projects/{id}/volumes/{name}/file';
      await download(to, () => unwrap(client.GET(url, { params, parseAs: 'stream' })));
      return out.print({ file: to }, () => `Written to ${to}.`);
    }
    const { data, truncated } = await unwrap(client.GET('/api/projects/{id}/volumes/{name}/files', { params }));
    out.list(data, entryColumns);
    if (truncated) out.note('There are more files than are listed.');
  },
});

export const volumeCommands = [list, add, remove, files];
