import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { BackupDestinationTable } from '../../../db/tables.ts';
import type { StorageField, StorageKind, StorageValues } from '../../../drivers/storage/storage.ts';
import { badRequest } from '../../../errors.ts';

/** All settings of a destination, with secrets in plain text. */
export type Values = StorageValues;

const StoredValues = z.record(z.string(), z.union([z.string(), z.number()])) satisfies z.ZodType<Values>;
const readOptions = storedJson('backup_destinations.options', StoredValues);
const readNames = storedJson('backup_destinations.secretNames', z.array(z.string()));

export const optionsIn = ({ options }: Pick<BackupDestinationTable, 'options'>) => readOptions(options);
/** Returns the names of the stored secrets. */
export const storedSecrets = (row: Pick<BackupDestinationTable, 'secretNames'>): string[] => readNames(row.secretNames);
/** Reads the opened secrets. */
export const readSecrets = storedJson('backup_destinations.secrets', StoredValues);

type Given = Record<string, unknown>;

/** Returns the values after a change: undefined keeps, null clears. Fields of other kinds are ignored. */
export function changedValues({ fields }: StorageKind, before: Values, given: Given): Values {
  const after = { ...before };
  for (const { name } of fields) {
    const value = given[name];
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value as string | number;
  }
  return after;
}

/** Throws a 400 for missing required fields, except those in `mayMiss`. */
export function requireValues(kind: StorageKind, values: Values, mayMiss: ReadonlySet<string>): void {
  const isMissing = (name: string) => values[name] === undefined && !mayMiss.has(name);
  for (const { name, isRequired } of kind.fields)
    if (isRequired && isMissing(name)) throw badRequest(`${name} is required`, name);
  for (const group of kind.oneOf ?? [])
    if (group.every(isMissing)) throw badRequest(`one of ${group.join(' and ')} is required`, group[0]);
}

/**
 * Stored secrets belong to their address and user: throws a 400 unless each is sent again or cleared when the address
 * changes. Otherwise a member could have the password sent elsewhere.
 */
export function requireSecretsAgain(kind: StorageKind, before: Values, given: Given): void {
  const valueOf = (values: Values, { name, usual }: StorageField) => String(values[name] ?? usual ?? '');
  const after = changedValues(kind, before, given);
  const moved = kind.fields.filter((field) => field.isAddress && valueOf(after, field) !== valueOf(before, field));
  const missing = moved.length ? untouchedSecrets(kind, before, given)[0] : undefined;
  if (missing === undefined) return;
  const changed = moved.map(({ name }) => name).join(' and ');
  const place = kind.fields.filter(({ isAddress }) => isAddress).map(({ name }) => name);
  throw badRequest(
    `${missing} is required again when ${changed} changes: the stored one is used only for the stored ` +
      `${place.join(', ')}. Send it, or clear it with null`,
    missing,
  );
}

/** Returns the stored secrets that a request neither replaces nor clears. */
export const untouchedSecrets = (kind: StorageKind, before: Values, given: Given): string[] =>
  [...secretNames(kind)].filter((name) => before[name] !== undefined && given[name] === undefined);

/** Returns the names of secret fields. */
export const secretNames = ({ fields }: StorageKind): Set<string> =>
  new Set(fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));

/** Splits values into options, which may be shown, and secrets, which are sealed. */
export function splitSecrets(kind: StorageKind, values: Values): { options: Values; secrets: Values } {
  const secret = secretNames(kind);
  const pick = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => secret.has(name) === isSecret));
  return { options: pick(false), secrets: pick(true) };
}
