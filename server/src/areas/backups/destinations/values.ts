import type { StorageKind, StorageValues } from '../../../drivers/storage/storage.ts';
import { badRequest } from '../../../errors.ts';

/** Everything that was configured of a destination, secrets in the clear. */
export type Values = StorageValues;

type Given = Record<string, unknown>;

/** The values after a change: what is left out stays, null clears. Fields of other kinds mean nothing. */
export function changedValues({ fields }: StorageKind, before: Values, given: Given): Values {
  const after = { ...before };
  for (const { name } of fields) {
    const value = given[name];
    if (value === null) delete after[name];
    else if (value !== undefined) after[name] = value as string | number;
  }
  return after;
}

/** A 400 for what its kind cannot do without. `mayMiss`: what may be missing all the same. */
export function requireValues(kind: StorageKind, values: Values, mayMiss: ReadonlySet<string>): void {
  const isMissing = (name: string) => values[name] === undefined && !mayMiss.has(name);
  for (const { name, isRequired } of kind.fields)
    if (isRequired && isMissing(name)) throw badRequest(`${name} is required`, name);
  for (const group of kind.oneOf ?? [])
    if (group.every(isMissing)) throw badRequest(`one of ${group.join(' and ')} is required`, group[0]);
}

/** Which fields a person may not see again. */
export const secretNames = ({ fields }: StorageKind): Set<string> =>
  new Set(fields.filter(({ isSecret }) => isSecret).map(({ name }) => name));

/** In two: what may be shown, and what is sealed. */
export function parted(kind: StorageKind, values: Values): { options: Values; secrets: Values } {
  const secret = secretNames(kind);
  const pick = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => secret.has(name) === isSecret));
  return { options: pick(false), secrets: pick(true) };
}
