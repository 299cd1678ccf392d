import { styleText } from 'node:util';

export type Column<T> = { heading: string; value: (row: T) => string };

type Stream = NodeJS.WriteStream;

/** Prints results: text and tables for people, JSON for programs. Hints go to stderr, so that stdout can be piped. */
export class Output {
  readonly json: boolean;

  constructor(json: boolean) {
    this.json = json;
  }

  print(data: unknown, forPeople: () => string): void {
    process.stdout.write(`${this.json ? jsonText(data) : forPeople()}\n`);
  }

  list<T>(rows: T[], columns: Column<T>[]): void {
    this.print(rows, () => table(rows, columns));
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  warn(text: string): void {
    this.note(styled('yellow', plainText(text), process.stderr));
  }
}

/** Indented on a terminal, one line otherwise. */
export const jsonText = (data: unknown) => JSON.stringify(data, null, process.stdout.isTTY ? 2 : undefined);

// Includes sequences that `stripVTControlCharacters` misses: truncated ones, and terminal strings (DCS, APC).
const escapes = new RegExp(
  [
    '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/** Untrusted text on one line, without terminal control characters. */
export const plainText = (text: string) =>
  text.replaceAll(escapes, '').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');

/** `2026-03-01 14:05`, in local time. */
export function shortTime(iso: string | null, without = '-'): string {
  if (iso === null) return without;
  const time = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** A line of program output: without colours, with its indentation, and only the last state of a progress bar. */
export const logText = (line: string) =>
  plainText(line.trimEnd().split('\r').at(-1)!.replaceAll('\t', '    ')).trimEnd();

export const bold = (text: string, stream: Stream = process.stdout) => styled('bold', text, stream);

export function styled(format: Parameters<typeof styleText>[0], text: string, stream: Stream): string {
  return isColourful(stream) ? styleText(format, text) : text;
}

function isColourful(stream: Stream): boolean {
  return stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

export function table<T>(rows: T[], columns: Column<T>[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => plainText(value(row))));
  const headings = columns.map(({ heading }) => heading);
  return [headings, ...cells]
    .map((line) => aligned(line, widthsOf([headings, ...cells])))
    .map((line, index) => (index === 0 ? bold(line) : line))
    .join('\n');
}

const widthsOf = (lines: string[][]) =>
  lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));

/** Columns two spaces apart; also used for the help. */
export function aligned(cells: string[], widths: number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}
