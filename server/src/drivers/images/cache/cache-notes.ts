import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { replaceFileSingleWriter } from '../../runtime/records/replace-file.ts';
import type { RanStep } from '../build/plan.ts';

/** Records the steps that our builds ran, to recognize our records in the engine's cache. */
export class CacheNotes {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Synchronous, so that the note survives a kill of the service. */
  add(step: RanStep): void {
    appendFileSync(this.#file, lineOf(step), { mode: 0o600 });
  }

  all(): RanStep[] {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n').flatMap(stepIn) : [];
  }

  keep(isKept: (step: RanStep) => boolean): void {
    replaceFileSingleWriter(this.#file, this.all().filter(isKept).map(lineOf).join(''));
  }
}

const lineOf = (step: RanStep): string => `${JSON.stringify(step)}\n`;

/** A crash leaves a partial line. */
function stepIn(line: string): RanStep[] {
  try {
    return line ? [JSON.parse(line) as RanStep] : [];
  } catch {
    return [];
  }
}
