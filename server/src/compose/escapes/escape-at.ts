import type { SourceLine } from '../problems.ts';

/** An escape before it is known whose it is; without a place it stands where its field does. */
export interface EscapeAt {
  field: string;
  reason: string;
  at?: SourceLine;
}

/** For values that go on a line of a report. */
export const short = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);
