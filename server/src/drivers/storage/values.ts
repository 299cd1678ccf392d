import { StorageError, type StorageField, type StorageValues } from './storage.ts';

/** A field with what most have; the rest is said. */
export const storageField = (
  name: string,
  label: string,
  help: string,
  more: Partial<StorageField> = {},
): StorageField => ({
  name,
  label,
  help,
  type: 'text',
  isSecret: false,
  isRequired: false,
  maxLength: 255,
  ...more,
});

/** What was configured as text; undefined if nothing was, or only blanks. */
export function textValue(values: StorageValues, name: string): string | undefined {
  const value = values[name];
  const text = value === undefined ? '' : String(value);
  return text.trim() ? text : undefined;
}

/** What a target cannot do without. It may be missing all the same: credentials can be cleared. */
export function needed(values: StorageValues, name: string): string {
  const text = textValue(values, name);
  if (text === undefined) throw new StorageError('misconfigured', `${name} is not set`);
  return text;
}
