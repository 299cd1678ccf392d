import type { Client, Schemas } from '@mooring/client';
import type { Options, Values } from '../command.ts';
import { Failure, UsageError } from '../errors.ts';
import { allDestinations, findDestination, type Policy } from './find.ts';
import { foundSources, readSources } from './source-names.ts';

type Body = Schemas['BackupPolicyBody'];
type Settings = Partial<Omit<Body, 'name' | 'projectId' | 'environment'>>;
type Retention = Body['retention'];

export const defaultRetention: Retention = { last: 7, daily: 0, weekly: 4, monthly: 0 };

/** Options that `add` and `set` share. */
export const settingsOptions = {
  name: { type: 'string', value: '<name>', help: 'name of the policy' },
  destination: {
    type: 'string',
    multiple: true,
    value: '<destination>',
    help: 'where the backups go; default: the default destination; repeatable',
  },
  schedule: { type: 'string', value: '<cron>', help: 'five fields; default "30 3 * * *", every night at 3:30' },
  timezone: { type: 'string', value: '<zone>', help: 'time zone of the schedule; default: the one of this machine' },
  'keep-last': { type: 'string', value: '<n>', help: 'keep the last n backups; default 7' },
  'keep-daily': { type: 'string', value: '<n>', help: 'and the newest of each of n days' },
  'keep-weekly': { type: 'string', value: '<n>', help: 'and the newest of each of n weeks; default 4' },
  'keep-monthly': { type: 'string', value: '<n>', help: 'and the newest of each of n months' },
  source: {
    type: 'string',
    multiple: true,
    value: '<source>',
    help: 'volume:uploads, database:db, files:web:/path; default all; repeatable',
  },
  'no-encryption': { type: 'boolean', help: 'store archives unencrypted' },
  recipient: { type: 'string', multiple: true, value: '<age1...>', help: 'another age key that decrypts; repeatable' },
  drill: { type: 'string', value: '<cron>', help: 'restore the newest backup to a scratch place by this schedule' },
  'drill-query': { type: 'string', value: '<query>', help: 'read-only query whose result each drill records' },
  before: { type: 'string', value: '<command>', help: 'runs in the service before each backup' },
  after: { type: 'string', value: '<command>', help: 'runs after each backup, also after a failure' },
  'hook-service': { type: 'string', value: '<service>', help: 'service of --before and --after' },
  pause: { type: 'boolean', help: 'pause services while their volumes are read' },
  bandwidth: { type: 'string', value: '<MB/s>', help: 'limit of what is sent to each destination' },
} as const satisfies Options;

/** Options that undo settings, for `set`. */
export const undoOptions = {
  encryption: { type: 'boolean', help: 'encrypt archives again' },
  'no-drill': { type: 'boolean', help: 'no more drills' },
  'no-hooks': { type: 'boolean', help: 'no more commands before and after' },
  'no-pause': { type: 'boolean', help: 'do not pause services' },
  'no-bandwidth': { type: 'boolean', help: 'no limit' },
  enable: { type: 'boolean', help: 'run by the schedule again' },
  disable: { type: 'boolean', help: 'do not run by the schedule' },
} as const satisfies Options;

type Given = Values<typeof settingsOptions & typeof undoOptions>;
type Of = Pick<Policy, 'environment'> & { projectId: string };

/** Reads the settings that are given; `before` has those of an existing policy. */
export async function givenSettings(client: Client, values: Given, of: Of, before?: Policy): Promise<Settings> {
  const { schedule, timezone, destination, source } = values;
  const retention = retentionOf(values, before?.retention);
  const encryption = encryptionOf(values, before?.encryption);
  const hooks = hooksOf(values, before?.hooks);
  const drill = drillOf(values, before?.drill ?? null);
  const bandwidthLimit = bandwidthOf(values);
  const found = () => foundSources(client, of.projectId, of.environment);
  return {
    ...(schedule && { schedule }),
    ...(timezone && { timezone }),
    ...(destination && { destinationIds: await destinationIds(client, destination) }),
    ...(source && { sources: await readSources(source, found) }),
    ...(retention && { retention }),
    ...(encryption && { encryption }),
    ...(hooks && { hooks }),
    ...(drill !== undefined && { drill }),
    ...(bandwidthLimit !== undefined && { bandwidthLimit }),
    ...((values.pause || values['no-pause']) && { consistency: values.pause ? 'pause' : 'check' }),
    ...((values.enable || values.disable) && { enabled: !values.disable }),
  };
}

/** The destinations of a new policy, if none is named. */
export async function defaultDestination(client: Client): Promise<string[]> {
  const all = await allDestinations(client);
  const chosen = all.find(({ isDefault }) => isDefault) ?? (all.length === 1 ? all[0] : undefined);
  if (chosen) return [chosen.id];
  if (!all.length)
    throw new Failure('there is no backup destination yet; add one with: mooring destination add <name>');
  throw new Failure(
    `there is no default destination; name one with --destination: ${all.map(({ name }) => name).join(', ')}`,
  );
}

async function destinationIds(client: Client, names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names.flatMap((each) => each.split(','))) ids.push((await findDestination(client, name)).id);
  return ids;
}

function retentionOf(values: Given, before: Retention | undefined): Retention | undefined {
  const given = (['last', 'daily', 'weekly', 'monthly'] as const).flatMap((kind) => {
    const text = values[`keep-${kind}`];
    if (text === undefined) return [];
    if (!/^\d{1,4}$/.test(text)) throw new UsageError(`--keep-${kind} must be a whole number`);
    return [[kind, Number(text)]];
  });
  if (!given.length) return undefined;
  return { ...(before ?? defaultRetention), ...(Object.fromEntries(given) as Partial<Retention>) };
}

function encryptionOf(values: Given, before: Body['encryption'] | undefined): Body['encryption'] | undefined {
  const { recipient: recipients, encryption: isOn } = values;
  if (values['no-encryption']) {
    if (recipients || isOn) throw new UsageError('--no-encryption goes with neither --recipient nor --encryption');
    return { enabled: false };
  }
  if (!recipients && !isOn) return undefined;
  return { ...before, enabled: true, ...(recipients && { recipients }) };
}

function hooksOf(values: Given, before: Body['hooks'] | undefined): Body['hooks'] | undefined {
  if (values['no-hooks']) return {};
  const given = {
    ...(values.before && { before: values.before }),
    ...(values.after && { after: values.after }),
    ...(values['hook-service'] && { service: values['hook-service'] }),
  };
  return Object.keys(given).length ? { ...before, ...given } : undefined;
}

function drillOf(values: Given, before: Body['drill']): Body['drill'] | undefined {
  if (values['no-drill']) return null;
  const { drill, 'drill-query': query } = values;
  if (!drill && !query) return undefined;
  const schedule = drill ?? before?.schedule;
  if (!schedule) throw new UsageError('--drill-query goes with --drill, the schedule of the drills');
  return { ...before, schedule, ...(query && { query }) };
}

function bandwidthOf(values: Given): number | null | undefined {
  if (values['no-bandwidth']) return null;
  const { bandwidth } = values;
  if (bandwidth === undefined) return undefined;
  if (!/^\d{1,5}(\.\d+)?$/.test(bandwidth)) throw new UsageError('--bandwidth must be a number of MB per second');
  return Math.round(Number(bandwidth) * 1_000_000);
}
