import type { SourceLine } from '../problems.ts';

/** An escape without its service; without `at` it has the line of its field. */
export interface EscapeAt {
  field: string;
  reason: string;
  at?: SourceLine;
}

/** Shortens a value for a message. */
export const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);
