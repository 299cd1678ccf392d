import type { Destination, DestinationBody, DestinationKind, KindField } from '../../destination-queries.ts';
import type { Values } from '../../forms/form.tsx';

type Value = string | number | null;
type Given = Partial<Record<string, Value>>;

export const isStored = (destination: Destination | undefined, { name }: KindField): boolean =>
  destination?.[`has${name.charAt(0).toUpperCase()}${name.slice(1)}` as 'hasSftpPassword'] ?? false;

export const storedValue = (destination: Destination | undefined, { name }: KindField): string =>
  String(destination?.[name as 'bucket' | 'sshPort'] ?? '');

function valueIn({ name, type, secret }: KindField, values: Values): Value {
  const text = secret ? values(name) : values(name).trim();
  if (!text.trim()) return null;
  // What is no number goes to the API as it is, which says so beside the field.
  return type === 'number' && /^\d+$/.test(text) ? Number(text) : text;
}

const common = (values: Values) => ({ name: values('name').trim(), pathPrefix: values('pathPrefix').trim() });

/** A new destination. Empty fields are left out: the API names the ones that are required. */
export function bodyIn(kind: DestinationKind, values: Values, isDefault: boolean): DestinationBody {
  const given = kind.fields.map((field): [string, Value] => [field.name, valueIn(field, values)]);
  const filled = Object.fromEntries(given.filter(([, value]) => value !== null));
  return { ...common(values), isDefault, kind: kind.kind, ...filled };
}

/** Whether the form names another address than the stored one. */
export const isMoved = (destination: Destination, { fields }: DestinationKind, values: Values): boolean =>
  fields.some((field) => field.address && isChanged(destination, field, values));

const isChanged = (destination: Destination, field: KindField, values: Values) =>
  values(field.name).trim() !== storedValue(destination, field);

/** What changes about a stored destination. Empty secrets are kept unless they are in `cleared`. */
export function changesIn(
  destination: Destination,
  kind: DestinationKind,
  values: Values,
  { isDefault, cleared }: { isDefault: boolean; cleared: string[] },
) {
  const given: Given = {};
  for (const field of kind.fields) {
    const value = valueIn(field, values);
    if (!field.secret && isChanged(destination, field, values)) given[field.name] = value;
    if (field.secret && value !== null) given[field.name] = value;
    if (field.secret && value === null && cleared.includes(field.name)) given[field.name] = null;
  }
  // Together with all credentials the address is a new one: the server may then show another host key.
  const hasNewSecret = kind.fields.some(({ name, secret }) => secret && typeof given[name] === 'string');
  for (const field of kind.fields) if (hasNewSecret && field.address) given[field.name] = valueIn(field, values);
  return { ...common(values), isDefault, ...given };
}
