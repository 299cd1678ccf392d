import type { ServerEvent } from '@mooring/client';
import { namesError } from '../../logs/error-lines.ts';
import type { LinePosition } from '../../logs/line-layout.ts';
import { type LogLine, logLine } from '../../logs/lines.ts';

/** Lines of one step, appended in place. */
export type LogSection = {
  step: string;
  lines: LogLine[];
  /** The first line that names an error, and the first line with the level `error`: all output of a crashed app has
   * that level. */
  namedError?: number;
  markedError?: number;
};

/** Coalesces changes into one render. */
const gatherMs = 100;

type LogEvent = { at: string; line: string; level: string; step: string | null; service: string | null };

/** The log of a deployment by step, built from its event stream. Duplicate events are dropped, so that the stream
 * can resume anywhere. A store for `useSyncExternalStore`: the version changes as the log grows. */
export class BuildLog {
  readonly sections: LogSection[] = [];
  lineCount = 0;
  lastSeq = 0;
  isOver = false;
  #version = 0;
  #isTold = true;
  readonly #listeners = new Set<() => void>();

  add({ id, type, data }: ServerEvent): void {
    if (id <= this.lastSeq) return;
    this.lastSeq = id;
    if (type === 'log') this.#addLine(id, data as LogEvent);
    if (type === 'step') this.#addAttempt(id, data as { at: string; name: string; attempt?: number });
    if (type === 'end') this.isOver = true;
    if (this.#isTold) this.#tellSoon();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  /** The first error of the failed step, or else of the whole log. */
  firstError(failedStep: string | undefined): LinePosition | undefined {
    const sections = this.sections.toSorted((one, other) => rank(one, failedStep) - rank(other, failedStep));
    const section = sections.find(({ markedError }) => markedError !== undefined);
    return section && { block: section.step, index: (section.namedError ?? section.markedError)! };
  }

  /** The whole log, without colours. */
  text(): string {
    const lines = this.sections.flatMap(({ step, lines }) => lines.map((line) => ({ step, ...line })));
    return lines
      .toSorted((one, other) => one.number - other.number)
      .map(({ at, step, service, text }) => `${at} ${[step, service].filter(Boolean).join(' ')}: ${text}\n`)
      .join('');
  }

  /** A line without a step belongs to the previous line's step. */
  #addLine(seq: number, { at, line, level, step, service }: LogEvent): void {
    const section = this.#section(step ?? this.sections.at(-1)?.step ?? '');
    const added = logLine(seq, { at, line, level, service, replica: null });
    this.lineCount++;
    const index = section.lines.push(added) - 1;
    if (added.level !== 'error') return;
    section.markedError ??= index;
    if (section.namedError === undefined && namesError(added.text)) section.namedError = index;
  }

  /** An interrupted step runs again and writes its output again. */
  #addAttempt(seq: number, { at, name, attempt = 1 }: { at: string; name: string; attempt?: number }): void {
    if (attempt < 2) return;
    const line = `Attempt ${attempt}: the step was interrupted and starts again`;
    this.#section(name).lines.push(logLine(seq, { at, line, level: 'warn', service: null, replica: null }));
  }

  #section(step: string): LogSection {
    const known = this.sections.find((each) => each.step === step);
    if (known) return known;
    const section = { step, lines: [] };
    this.sections.push(section);
    return section;
  }

  #tellSoon(): void {
    this.#isTold = false;
    setTimeout(() => {
      this.#isTold = true;
      this.#version++;
      for (const listener of this.#listeners) listener();
    }, gatherMs);
  }
}

const rank = ({ step }: LogSection, failedStep: string | undefined): number => (step === failedStep ? 0 : 1);
