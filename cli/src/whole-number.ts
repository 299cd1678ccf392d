import { UsageError } from './errors.ts';

/** Parses an option's positive integer. */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${option} must be a whole number, at least 1`);
  return Number(text);
}
