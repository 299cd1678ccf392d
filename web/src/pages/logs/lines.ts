import { plainText } from './ansi.ts';
import { type LineLevel, levelOf } from './error-lines.ts';

/** A log line as it is displayed. */
export type LogLine = {
  /** Unique within the log. */
  number: number;
  at: string;
  /** The original text with its colour codes. */
  raw: string;
  text: string;
  level: LineLevel;
  service: string | null;
  replica: number | null;
  /** Width of the text in characters of a fixed-width font. */
  columns: number;
};

type Written = { at: string; line: string; level: string; service: string | null; replica: number | null };

export function logLine(number: number, { at, line, level, service, replica }: Written): LogLine {
  const text = plainText(line);
  const raw = text === line ? text : line;
  return { number, at, raw, text, level: levelOf(level, text), service, replica, columns: columnsOf(text) };
}

const isAscii = /^[\u0020-\u007e]*$/;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu;

function columnsOf(text: string): number {
  if (isAscii.test(text)) return text.length;
  // Surrogate pairs count as two, which is the width of an emoji.
  return text.length + [...text.matchAll(wide)].filter(([character]) => character.length === 1).length;
}
