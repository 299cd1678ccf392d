/** The same text for the same meaning: keys in order, and without the lines where something was written. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    const entries = Object.entries(item).filter(([key, inner]) => key !== 'at' || !isPlace(inner));
    return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const isPlace = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'file' in value && 'line' in value;
