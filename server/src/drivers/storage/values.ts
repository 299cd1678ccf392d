import { StorageError, type StorageField, type StorageValues } from './storage.ts';

/** Returns a field with the usual defaults. */
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

/** Returns a value as text; undefined if it is missing or blank. */
export function textValue(values: StorageValues, name: string): string | undefined {
  const value = values[name];
  const text = value === undefined ? '' : String(value);
  return text.trim() ? text : undefined;
}

/** Returns a required value. It may still be missing, because credentials can be cleared. */
export function requiredValue(values: StorageValues, name: string): string {
  const text = textValue(values, name);
  if (text === undefined) throw new StorageError('misconfigured', `${name} is not set`);
  return text;
}
