import { UsageError } from './errors.ts';

/** The value of an option that takes a number of something, from 1 on. */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${option} must be a whole number, at least 1`);
  return Number(text);
}
