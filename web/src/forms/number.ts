/** The number in the text of a field, undefined if it is empty. What is no number goes to the API as it is, which says so beside
 * the field: as NaN it would arrive as null, and for many fields null means "none". */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!trimmed) return undefined;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : (trimmed as unknown as number);
}
