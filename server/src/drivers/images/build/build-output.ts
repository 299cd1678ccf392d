import { type LineSplitter, splitLines } from '../../host/lines.ts';
import type { RunOptions } from '../images.ts';

/** Limit of the output that is forwarded. The build itself continues. */
export const mostOutputBytes = 8 * 2 ** 20;
const keptLines = 20;
const longestTitle = 300;

type Stream = 'stdout' | 'stderr';

/** Converts the steps of a build and their output to lines: the title of a step, then its output. Steps may run in
 * parallel; the title is repeated whenever another step continues. */
export class BuildOutput {
  readonly #onLine: RunOptions['onLine'];
  readonly #steps = new Map<string, { title: string; last: string[]; out: Record<Stream, LineSplitter> }>();
  #current = '';
  #bytes = 0;

  constructor(onLine: RunOptions['onLine']) {
    this.#onLine = onLine;
  }

  /** Adds a line of our own. */
  say(line: string): void {
    this.#onLine(line, 'stdout');
  }

  begin(step: string, title: string, note = ''): void {
    if (this.#steps.has(step)) return;
    const shown = oneLine(title);
    const last: string[] = [];
    const splitter = (stream: Stream) => splitLines((line) => this.#print(step, line, stream));
    this.#steps.set(step, { title: shown, last, out: { stdout: splitter('stdout'), stderr: splitter('stderr') } });
    this.#current = step;
    this.#onLine(shown + note, 'stdout');
  }

  print(step: string, chunk: Buffer, stream: Stream): void {
    this.#steps.get(step)?.out[stream].push(chunk);
  }

  /** Flushes output without a line feed. */
  end(step: string): void {
    const known = this.#steps.get(step);
    known?.out.stdout.end();
    known?.out.stderr.end();
  }

  /** Returns the step's last lines of output. */
  lastLines(step: string): string[] {
    return this.#steps.get(step)?.last ?? [];
  }

  #print(step: string, line: string, stream: Stream): void {
    const { title, last } = this.#steps.get(step)!;
    last.push(line);
    if (last.length > keptLines) last.shift();
    if (this.#bytes > mostOutputBytes) return;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#bytes > mostOutputBytes) {
      this.#onLine(`[the build printed more than ${mostOutputBytes / 2 ** 20} MB; the rest is omitted]`, 'stderr');
      return;
    }
    if (this.#current !== step) this.#onLine(`${title} (continued)`, 'stdout');
    this.#current = step;
    this.#onLine(line, stream);
  }
}

export function oneLine(title: string): string {
  const line = title.replaceAll(/\s+/g, ' ').trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle).toWellFormed()}…` : line;
}
