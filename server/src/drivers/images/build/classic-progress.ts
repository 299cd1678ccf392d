import { BuildFailedError } from '../errors.ts';
import type { BuildOutput } from './build-output.ts';

const noise = /^ ---> |^Removing intermediate container |^Successfully (?:built|tagged) |^\n$/;
const ourLabels = /^LABEL "mooring\./;
const [redOn, redOff] = ['\u001b[91m', '\u001b[0m'];

/** Follows a build of the classic builder, which tells in plain text how it goes. `added` steps are ours and not shown. */
export class ClassicProgress {
  readonly #output: BuildOutput;
  readonly #added: number;
  #step = '';
  #instruction: string | undefined;
  #count = 0;
  /** A title waits for what comes next: that tells whether the step was in the cache. */
  #title: string | undefined;

  constructor(output: BuildOutput, added: number) {
    [this.#output, this.#added] = [output, added];
  }

  take(text: string): void {
    const [, step, total, instruction] = /^Step (\d+)\/(\d+) : (.*)$/s.exec(text) ?? [];
    if (step) return this.#begin(step, Number(total) - this.#added, instruction!.trimEnd());
    if (text === '\n' && this.#title !== undefined) return;
    this.#showTitle(text.startsWith(' ---> Using cache') ? ' (cached)' : '');
    if (noise.test(text)) return;
    const isRed = text.startsWith(redOn);
    const plain = isRed ? text.slice(redOn.length).replace(redOff, '') : text;
    this.#output.print(this.#step, Buffer.from(plain), isRed ? 'stderr' : 'stdout');
  }

  end(): void {
    this.#showTitle('');
    this.#output.end(this.#step);
  }

  failure(reason: string): BuildFailedError {
    this.end();
    return new BuildFailedError(reason, {
      ...(this.#instruction && { instruction: this.#instruction }),
      lastLines: this.#output.lastLines(this.#step),
    });
  }

  #begin(step: string, total: number, instruction: string): void {
    this.end();
    if (ourLabels.test(instruction)) {
      this.#instruction = undefined;
      return;
    }
    this.#count++;
    [this.#step, this.#instruction, this.#title] = [step, instruction, `[${this.#count}/${total}] ${instruction}`];
  }

  #showTitle(note: string): void {
    if (this.#title !== undefined) this.#output.begin(this.#step, this.#title, note);
    this.#title = undefined;
  }
}
