const mostLines = 50_000;
const mostBytes = 20_000_000;
const lastLines = 200;

export type LoggedLine = { line: string; level: string; stream: string; service?: string | undefined };

/** How much of its output a deployment keeps: the beginning, and the end of each step, where the reason stands when it
 * fails. A build that prints without end fills neither memory nor disk. */
export class LogBudget {
  #lines = 0;
  #bytes = 0;
  #left = 0;
  #last: LoggedLine[] = [];

  /** Whether the line is written now. If not, it may still come out as one of the last. */
  admits(line: LoggedLine): boolean {
    this.#lines++;
    this.#bytes += line.line.length;
    if (this.#lines <= mostLines && this.#bytes <= mostBytes) return true;
    this.#left++;
    this.#last.push(line);
    if (this.#last.length > 2 * lastLines) this.#last = this.#last.slice(-lastLines);
    return false;
  }

  /** What was held back, at the end of a step. */
  rest(): { leftOut: number; lines: LoggedLine[] } {
    const lines = this.#last.slice(-lastLines);
    const leftOut = this.#left - lines.length;
    [this.#left, this.#last] = [0, []];
    return { leftOut, lines };
  }
}
