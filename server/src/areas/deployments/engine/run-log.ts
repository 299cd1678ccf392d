import { isAfterwork } from '../model/plan.ts';
import type { StepContext } from '../model/step.ts';

const mostLines = 50_000;
const mostBytes = 20_000_000;
const lastLines = 200;

type Line = { line: string; level: string; stream: string; service: string | null };

/**
 * Log lines of a deployment. Keeps the beginning of the output and the end of each step, which has the reason of a
 * failure. Endless output fills neither memory nor disk.
 */
export class RunLog {
  readonly #step: () => string | null;
  readonly #add: (line: Line & { step: string | null }) => void;
  #lines = 0;
  #bytes = 0;
  #left = 0;
  #last: Line[] = [];

  constructor(step: () => string | null, add: (line: Line & { step: string | null }) => void) {
    this.#step = step;
    this.#add = add;
  }

  readonly say: StepContext['log'] = (line, level = 'info', stream = 'stdout', service) => {
    if (isAfterwork(this.#step() ?? '')) return;
    this.#lines++;
    this.#bytes += line.length;
    const entry = { line, level, stream, service: service ?? null };
    if (this.#lines <= mostLines && this.#bytes <= mostBytes) {
      this.write(entry);
      return;
    }
    this.#left++;
    this.#last.push(entry);
    if (this.#last.length > 2 * lastLines) this.#last = this.#last.slice(-lastLines);
  };

  /** Ignores the limits. */
  write({ line, level, stream, service }: Line): void {
    this.#add({ line, level, step: this.#step(), service, stream });
  }

  /** Writes the end of an output that was too long. */
  flush(): void {
    const lines = this.#last.slice(-lastLines);
    const leftOut = this.#left - lines.length;
    [this.#left, this.#last] = [0, []];
    const note = { level: 'warn', stream: 'stdout', service: null };
    if (leftOut) this.write({ line: `${leftOut} lines omitted`, ...note });
    for (const line of lines) this.write(line);
  }
}
