import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { replaceFile } from '../../runtime/records/replace-file.ts';
import type { RanStep } from '../build/plan.ts';

/** What our builds have run, in a file: by it we know which of the engine's cached steps are ours. */
export class CacheNotes {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** At once: what is noted outlives a kill of the service. */
  add(step: RanStep): void {
    appendFileSync(this.#file, lineOf(step), { mode: 0o600 });
  }

  all(): RanStep[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').flatMap(stepIn) : [];
  }

  keep(isKept: (step: RanStep) => boolean): void {
    replaceFile(this.#file, this.all().filter(isKept).map(lineOf).join(''));
  }
}

const lineOf = (step: RanStep): string => `${JSON.stringify(step)}\n`;

/** Half a line is what a crash leaves. */
function stepIn(line: string): RanStep[] {
  try {
    return line ? [JSON.parse(line) as RanStep] : [];
  } catch {
    return [];
  }
}
