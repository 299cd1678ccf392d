import { basename } from 'node:path';
import { unwrap } from '@mooring/client';
import {
  allDestinations,
  allPolicies,
  type Backup,
  backupById,
  backupsOf,
  findBackup,
  findPolicy,
} from '../../backups/find.ts';
import { detachOption, followBackup, followRestore } from '../../backups/follow.ts';
import { backupColumns, backupLines, namesById } from '../../backups/show.ts';
import { foundSources, sourceText } from '../../backups/source-names.ts';
import { defineCommand } from '../../command.ts';
import { allProjects, findProject } from '../../deployments/find.ts';
import { download } from '../../download.ts';
import { Failure } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { plainText, shortTime } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';
import { wholeNumber } from '../../whole-number.ts';

const sources = defineCommand({
  name: 'backup sources',
  parameters: ['[project]'],
  summary: 'List the volumes and databases of a project that can be backed up',
  description: 'Default: the project of this folder.',
  options: { environment: { type: 'string', value: '<name>', help: 'environment; default production' } },
  async run({ args: [named], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await projectHere(client, named);
    out.list(await foundSources(client, id, values.environment), [
      { heading: 'SOURCE', value: ({ source }) => sourceText(source) },
      { heading: 'NAME', value: ({ name }) => name },
      { heading: 'BY DEFAULT', value: ({ isDefault }) => (isDefault ? 'yes' : 'no') },
      { heading: 'REASON', value: ({ reason }) => reason },
    ]);
  },
});

const run = defineCommand({
  name: 'backup run',
  parameters: ['<policy>'],
  summary: 'Run a backup policy now, and print the id of the backup',
  description: 'A project with one policy can be named instead. Exits with 1 if the backup fails.',
  options: { detach: detachOption },
  async run({ args: [named = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const { id } = await findPolicy(client, named);
    const { data } = await unwrap(client.POST('/api/backup-policies/{id}/run', { params: { path: { id } } }));
    await followBackup(here, data, out, values);
  },
});

const drill = defineCommand({
  name: 'backup drill',
  parameters: ['<policy>'],
  summary: 'Prove that the newest backup of a policy can be restored',
  description: 'Restores it to a scratch place, checks the data, and removes it again. Exits with 1 if it fails.',
  options: { detach: detachOption },
  async run({ args: [named = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const { id } = await findPolicy(client, named);
    const { data } = await unwrap(client.POST('/api/backup-policies/{id}/drill', { params: { path: { id } } }));
    await followRestore(here, data, out, values);
  },
});

const list = defineCommand({
  name: 'backup list',
  parameters: ['[project]'],
  summary: 'List backups, newest first',
  options: { limit: { type: 'string', value: '<n>', help: 'number of backups; default 20' } },
  async run({ args: [named], values, out, instance }) {
    const limit = wholeNumber('limit', values.limit) ?? 20;
    const client = signedInClient(instance());
    const project = named === undefined ? undefined : await findProject(client, named);
    const projects = namesById(project ? [project] : await allProjects(client));
    const policies = namesById(await allPolicies(client));
    out.list(await backupsOf(client, { projectId: project?.id }, limit), backupColumns(projects, policies));
  },
});

const which = 'A policy, or a project with one policy, stands for its newest completed backup.';

const show = defineCommand({
  name: 'backup show',
  parameters: ['<backup>'],
  summary: 'Show a backup and its archives',
  description: which,
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const backup = await findBackup(client, named);
    const destinations = out.json ? [] : await allDestinations(client);
    out.print(backup, () => backupLines(backup, destinations));
  },
});

const cancel = defineCommand({
  name: 'backup cancel',
  parameters: ['<backup>'],
  summary: 'Cancel a running backup',
  async run({ args: [id = ''], out, instance }) {
    const client = signedInClient(instance());
    await backupById(client, id);
    const { data } = await unwrap(client.POST('/api/backups/{id}/cancel', { params: { path: { id } } }));
    out.print(data, () => `${id} is ${data.status === 'cancelled' ? 'cancelled' : 'being cancelled'}.`);
  },
});

const pin = defineCommand({
  name: 'backup pin',
  parameters: ['<backup>'],
  summary: 'Keep a backup regardless of the retention',
  description: which,
  options: { off: { type: 'boolean', help: 'unpin: the retention applies again' } },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findBackup(client, named);
    const body = { pinned: !values.off };
    const { data } = await unwrap(client.POST('/api/backups/{id}/pin', { params: { path: { id } }, body }));
    out.print(data, () => (data.pinned ? `${id} is kept until it is unpinned.` : `${id} is not pinned any more.`));
  },
});

const remove = defineCommand({
  name: 'backup delete',
  parameters: ['<backup>'],
  summary: 'Delete a backup and its archives',
  options: { yes: { type: 'boolean', short: 'y', help: 'do not ask' } },
  async run({ args: [id = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const backup = await backupById(client, id);
    if (!values.yes) await confirmDeletion(backup);
    await unwrap(client.DELETE('/api/backups/{id}', { params: { path: { id } } }));
    out.print({ id, deleted: true }, () => `${id} is deleted, with its archives.`);
  },
});

async function confirmDeletion({ id, createdAt }: Backup): Promise<void> {
  if (!isInteractive()) throw new Failure(`${id} was not deleted; confirm it with --yes`);
  if (await confirm(`Delete the backup of ${shortTime(createdAt)} and its archives for good?`)) return;
  throw new Failure(`${id} was not deleted`);
}

const downloadBackup = defineCommand({
  name: 'backup download',
  parameters: ['<backup>'],
  summary: 'Download an archive of a backup as it is stored, or one of its files',
  description: `${which}\nUnpack an encrypted archive with: age -d -i backup-key.txt FILE | zstd -d | tar x`,
  options: {
    source: { type: 'string', value: '<name>', help: 'source, such as volume-uploads; needed if there are several' },
    path: { type: 'string', value: '<path>', help: 'one file of a volume, decrypted, such as images/logo.png' },
    output: { type: 'string', short: 'o', value: '<file>', help: 'write it there instead of into this folder' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const backup = await findBackup(client, named);
    const archive = archiveOf(backup, values.source);
    const to = values.output ?? basename(values.path ?? archive.key);
    const params = { path: { id: backup.id, archiveId: archive.id } };
    const file = values.path && { params: { ...params, query: { path: values.path } }, parseAs: 'stream' as const };
    await download(to, () =>
      file
        ? unwrap(client.GET('/api/backups/{id}/archives/{archiveId}/file', file))
        : unwrap(client.GET('/api/backups/{id}/archives/{archiveId}/download', { params, parseAs: 'stream' })),
    );
    out.print({ file: to, ...(!file && { sha256: archive.sha256 }) }, () => `Written to ${plainText(to)}.`);
  },
});

/** A source may be stored at several destinations: every copy is the same. */
function archiveOf({ id, archives }: Backup, wanted: string | undefined) {
  const names = [...new Set(archives.map(({ name }) => name))];
  const found = archives.find(
    ({ name, source }) => wanted === undefined || name === wanted || sourceText(source) === wanted,
  );
  if (found && (wanted !== undefined || names.length === 1)) return found;
  if (!names.length) throw new Failure(`${id} has no archives`);
  if (wanted === undefined)
    throw new Failure(`${id} has several archives; choose one with --source: ${names.join(', ')}`);
  throw new Failure(`${id} has no archive of ${wanted}; it has ${names.join(', ')}`);
}

export const backupCommands = [run, list, show, cancel, pin, remove, downloadBackup, drill, sources];
