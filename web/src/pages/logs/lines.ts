import { plainText } from './ansi.ts';
import { type LineLevel, levelOf } from './error-lines.ts';

/** A line of a log as it is shown. */
export type LogLine = {
  /** No other line of the same log has it. */
  number: number;
  at: string;
  /** As it was written, with its colour codes. */
  raw: string;
  text: string;
  level: LineLevel;
  service: string | null;
  replica: number | null;
  /** Characters of a fixed-width font that the text takes. */
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
  // Pairs of surrogates are counted as two, which is what an emoji takes.
  return text.length + [...text.matchAll(wide)].filter(([character]) => character.length === 1).length;
}
