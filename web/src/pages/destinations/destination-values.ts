import type { Destination, DestinationBody, DestinationKind, KindField } from '../../destination-queries.ts';
import type { FormValues } from '../../forms/form.tsx';

type Value = string | number | null;
type Given = Partial<Record<string, Value>>;

export const isSecretStored = (destination: Destination | undefined, { name }: KindField): boolean =>
  destination?.[`has${name.charAt(0).toUpperCase()}${name.slice(1)}` as 'hasSftpPassword'] ?? false;

export const storedValue = (destination: Destination | undefined, { name }: KindField): string =>
  String(destination?.[name as 'bucket' | 'sshPort'] ?? '');

function valueIn({ name, type, secret }: KindField, values: FormValues): Value {
  const text = secret ? values(name) : values(name).trim();
  if (!text.trim()) return null;
  // Other text goes to the API unchanged, which rejects it.
  return type === 'number' && /^\d+$/.test(text) ? Number(text) : text;
}

const common = (values: FormValues) => ({ name: values('name').trim(), pathPrefix: values('pathPrefix').trim() });

/** The request body of a new destination. Omits empty fields: the API names the required ones. */
export function destinationBodyOf(kind: DestinationKind, values: FormValues, isDefault: boolean): DestinationBody {
  const given = kind.fields.map((field): [string, Value] => [field.name, valueIn(field, values)]);
  const filled = Object.fromEntries(given.filter(([, value]) => value !== null));
  return { ...common(values), isDefault, kind: kind.kind, ...filled };
}

/** Whether the form contains another address than the stored one. */
export const isDestinationMoved = (
  destination: Destination,
  { fields }: DestinationKind,
  values: FormValues,
): boolean => fields.some((field) => field.address && isChanged(destination, field, values));

const isChanged = (destination: Destination, field: KindField, values: FormValues) =>
  values(field.name).trim() !== storedValue(destination, field);

/** The changes to a stored destination. Empty secrets are kept unless they are in `cleared`. */
export function destinationChangesOf(
  destination: Destination,
  kind: DestinationKind,
  values: FormValues,
  { isDefault, cleared }: { isDefault: boolean; cleared: string[] },
) {
  const given: Given = {};
  for (const field of kind.fields) {
    const value = valueIn(field, values);
    if (!field.secret && isChanged(destination, field, values)) given[field.name] = value;
    if (field.secret && value !== null) given[field.name] = value;
    if (field.secret && value === null && cleared.includes(field.name)) given[field.name] = null;
  }
  // New credentials are sent with the whole address: the server may then present another host key.
  const hasNewSecret = kind.fields.some(({ name, secret }) => secret && typeof given[name] === 'string');
  for (const field of kind.fields) if (hasNewSecret && field.address) given[field.name] = valueIn(field, values);
  return { ...common(values), isDefault, ...given };
}
