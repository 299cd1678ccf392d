/** Parses a field's number; undefined if it is empty. Other text goes to the API unchanged, which rejects it: NaN
 * would be sent as null, and for many fields null means "none". */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : (trimmed as unknown as number);
}
