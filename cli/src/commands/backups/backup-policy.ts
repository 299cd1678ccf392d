import { type Client, unwrap } from '@mooring/client';
import { allDestinations, allPolicies, findPolicy, type Policy } from '../../backups/find.ts';
import {
  defaultDestination,
  defaultRetention,
  givenSettings,
  settingsOptions,
  undoOptions,
} from '../../backups/policy-settings.ts';
import { namesById, policyColumns, policyLines } from '../../backups/show.ts';
import { defineCommand } from '../../command.ts';
import { allProjects, findProject } from '../../deployments/find.ts';
import { Failure, UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { type Output, plainText, shortTime } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';
import { shellWord } from '../../format.ts';

const list = defineCommand({
  name: 'backup policy list',
  parameters: ['[project]'],
  summary: 'List backup policies with their health and next run',
  async run({ args: [named], out, instance }) {
    const client = signedInClient(instance());
    const project = named === undefined ? undefined : await findProject(client, named);
    const projects = namesById(project ? [project] : await allProjects(client));
    out.list(await allPolicies(client, project?.id), policyColumns(projects));
  },
});

const add = defineCommand({
  name: 'backup policy add',
  parameters: ['<project>'],
  summary: 'Back up a project by a schedule',
  description: [
    'mooring backup policy add blog --destination nightly --keep-last 7 --keep-weekly 4',
    'Backs up every volume and database of the project, each night at 3:30, unless options say otherwise.',
    'Archives are encrypted with the backup key: export it with mooring backup key export.',
  ].join('\n'),
  options: {
    ...settingsOptions,
    environment: { type: 'string', value: '<name>', help: 'environment; default production' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const of = { projectId: project.id, environment: values.environment ?? 'production' };
    const given = await givenSettings(client, values, of);
    const body = {
      name: values.name ?? project.name,
      enabled: true,
      sources: 'all' as const,
      schedule: '30 3 * * *',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      retention: defaultRetention,
      encryption: { enabled: true },
      hooks: {},
      drill: null,
      consistency: 'check' as const,
      bandwidthLimit: null,
      ...of,
      ...given,
      destinationIds: given.destinationIds ?? (await defaultDestination(client)),
    };
    const { data } = await unwrap(client.POST('/api/backup-policies', { body }));
    const run = `mooring backup run ${shellWord(data.name)}`;
    out.print(
      data,
      () => `${plainText(data.name)} is added. Next run: ${shortTime(data.nextRunAt)}. Run it now: ${run}`,
    );
    await warnOfKey(client, data, out);
  },
});

/** Encrypted backups are lost with Mooring unless the key is stored elsewhere. */
async function warnOfKey(client: Client, { encryption }: Policy, out: Output): Promise<void> {
  if (!encryption.enabled) return;
  const { data } = await unwrap(client.GET('/api/backup-keys'));
  if (data.some(({ exportedAt }) => exportedAt === null))
    out.warn(
      'The backup key was never exported. If Mooring is lost, no backup can be restored without it: mooring backup key export',
    );
}

const set = defineCommand({
  name: 'backup policy set',
  parameters: ['<policy>'],
  summary: 'Change a backup policy; other settings keep their values',
  options: { ...settingsOptions, ...undoOptions },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const before = await findPolicy(client, named);
    const of = { projectId: before.projectId ?? '', environment: before.environment };
    const body = { ...(values.name && { name: values.name }), ...(await givenSettings(client, values, of, before)) };
    if (!Object.keys(body).length) throw new UsageError('nothing to change; see mooring backup policy set --help');
    const params = { path: { id: before.id } };
    const { data } = await unwrap(client.PATCH('/api/backup-policies/{id}', { params, body }));
    const next = data.enabled ? `Next run: ${shortTime(data.nextRunAt)}.` : 'It is disabled.';
    out.print(data, () => `${plainText(data.name)} is changed. ${next}`);
  },
});

const show = defineCommand({
  name: 'backup policy show',
  parameters: ['<policy>'],
  summary: 'Show settings, health and next run of a backup policy',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const policy = await findPolicy(client, named);
    const projects = out.json ? [] : await allProjects(client);
    const destinations = namesById(out.json ? [] : await allDestinations(client));
    const project = namesById(projects).get(policy.projectId ?? '') ?? '-';
    out.print(policy, () => policyLines(policy, project, destinations));
  },
});

const remove = defineCommand({
  name: 'backup policy remove',
  parameters: ['<policy>'],
  summary: 'Remove a backup policy; its backups are kept',
  options: { yes: { type: 'boolean', short: 'y', help: 'do not ask' } },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findPolicy(client, named);
    if (!values.yes) await confirmRemoval(name);
    await unwrap(client.DELETE('/api/backup-policies/{id}', { params: { path: { id } } }));
    out.print({ id, removed: true }, () => `${plainText(name)} is removed. Its backups are kept: mooring backup list`);
  },
});

async function confirmRemoval(name: string): Promise<void> {
  if (!isInteractive()) throw new Failure(`${name} was not removed; confirm it with --yes`);
  if (await confirm(`Remove ${plainText(name)}? Its project is no longer backed up by it, and its backups are kept.`))
    return;
  throw new Failure(`${name} was not removed`);
}

export const backupPolicyCommands = [list, add, set, show, remove];
