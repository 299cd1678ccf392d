// Safe access to untrusted data: returns the value if it has the type, else nothing.

export type Json = Record<string, unknown>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `child(json, 'a', 'b')` is `json.a.b` if it is a record. */
export const childRecord = (json: unknown, ...keys: string[]): Json =>
  keys.reduce<Json>(
    (at, key) => (Object.hasOwn(at, key) && isRecord(at[key]) ? at[key] : {}),
    isRecord(json) ? json : {},
  );

export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() ? value.trim() : null;

export const textList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => textOrNull(item) !== null) : [];

/** Returns the entries with text values. */
export const textEntries = (value: unknown): Map<string, string> =>
  new Map(
    Object.entries(isRecord(value) ? value : {}).filter(
      (entry): entry is [string, string] => textOrNull(entry[1]) !== null,
    ),
  );
