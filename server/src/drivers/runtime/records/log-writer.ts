import { closeSync, fstatSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLine } from '../runtime.ts';

/** A line as it is stored. */
export type LogEntry = LogLine & { mark?: string };

export type WriterLog = (what: string, error: unknown) => void;

const flushAtCharacters = 64 * 1024;

/** Numbers of the log files in a folder, oldest first. */
export const logNumbers = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);

export const logFile = (folder: string, number: number): string => join(folder, `${number}.log`);

/** Writes lines as JSON into numbered files of bounded size and drops the oldest file. A full disk loses lines and
 * reports how many later; it never stops the app. */
export class LogWriter {
  readonly #folder: string;
  readonly #limits: { logFileBytes: number; logFiles: number };
  readonly #report: WriterLog;
  readonly #redact: (line: string) => string;
  #descriptor: number | undefined;
  #number: number;
  #size = 0;
  #pending = '';
  #pendingLines = 0;
  #lostLines = 0;
  #lastAt = 0;
  #scheduled = false;

  constructor(
    folder: string,
    limits: { logFileBytes: number; logFiles: number },
    report: WriterLog,
    redact: (line: string) => string,
  ) {
    [this.#folder, this.#limits, this.#report, this.#redact] = [folder, limits, report, redact];
    this.#number = logNumbers(folder).at(-1) ?? 1;
  }

  /** `mark` is the position of the line in the engine's log, to resume reading there. */
  write(stream: LogLine['stream'], text: string, mark?: string): void {
    const line = this.#redact(text);
    // Readers stop at the first line that is too old, so times must not decrease when the clock is set back.
    this.#lastAt = Math.max(this.#lastAt, mark ? Date.parse(mark) : Date.now());
    this.#pending += `${JSON.stringify({ at: this.#lastAt, stream, line, ...(mark && { mark }) } satisfies LogEntry)}\n`;
    this.#pendingLines++;
    if (this.#pending.length >= flushAtCharacters) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.flush());
    }
  }

  flush(): void {
    this.#scheduled = false;
    if (!this.#pending) return;
    const [text, lines] = [this.#pending, this.#pendingLines];
    [this.#pending, this.#pendingLines] = ['', 0];
    try {
      this.#append(text);
    } catch (error) {
      if (!this.#lostLines) this.#report('the log cannot be written', error);
      this.#lostLines += lines;
      this.#close();
    }
  }

  #append(text: string): void {
    this.#open();
    // A failed write may have left a partial line; the leading line feed ends it.
    const lost = this.#lostLines
      ? `\n${JSON.stringify({ at: this.#lastAt, stream: 'stderr', line: `[mooring] ${this.#lostLines} lines were lost` })}\n`
      : '';
    for (let rest = Buffer.from(lost + text); rest.length;) {
      const written = writeSync(this.#descriptor!, rest);
      this.#size += written;
      rest = rest.subarray(written);
    }
    this.#lostLines = 0;
  }

  #open(): void {
    if (this.#descriptor !== undefined && this.#size >= this.#limits.logFileBytes) {
      this.#close();
      this.#number++;
    }
    if (this.#descriptor !== undefined) return;
    for (const old of logNumbers(this.#folder))
      if (old <= this.#number - this.#limits.logFiles) rmSync(logFile(this.#folder, old), { force: true });
    this.#descriptor = openSync(logFile(this.#folder, this.#number), 'a+', 0o600);
    this.#size = fstatSync(this.#descriptor).size;
    // The previous writer may have been killed in the middle of a line.
    const last = Buffer.alloc(1);
    if (this.#size && readSync(this.#descriptor, last, 0, 1, this.#size - 1) && last[0] !== 10)
      writeSync(this.#descriptor, '\n');
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
