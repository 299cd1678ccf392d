import type { PlainValue } from './nodes.ts';

const words = new Map<string, PlainValue>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

const integers: [RegExp, number][] = [
  [/^[-+]?0b[01]+$/, 2],
  [/^[-+]?0x[0-9a-fA-F]+$/, 16],
  [/^[-+]?0o[0-7]+$/, 8],
  [/^[-+]?0[0-7]+$/, 8],
  [/^[-+]?[0-9]+$/, 10],
];
const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/**
 * Returns the value of an unquoted scalar, with the types of Docker Compose's parser: numbers of YAML 1.1 (`0755`,
 * `1_000`), but not its `yes`, `on` and times. Numbers out of range stay strings.
 */
export function plainScalar(text: string): PlainValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text) || text.length > 40) return text;
  const digits = text.replaceAll('_', '');
  for (const [pattern, base] of integers) if (pattern.test(digits)) return integer(digits, base) ?? text;
  if (float.test(digits)) return Number(digits);
  return text;
}

function integer(digits: string, base: number): number | undefined {
  const isNegative = digits.startsWith('-');
  const value = Number.parseInt(digits.replace(/^[-+]/, '').replace(/^0[box]/, ''), base);
  return Number.isSafeInteger(value) ? (isNegative ? -value : value) : undefined;
}

const date =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):\d{1,2}(?:\.\d+)?(?:Z|[-+]\d{2}:\d{2})| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;

/** Whether that parser reads an unquoted scalar as a date. */
export function isDate(text: string): boolean {
  const [, month, day] = (text.length > 40 ? null : date.exec(text)) ?? [];
  return month !== undefined && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
}
