import { AppError } from '../errors.ts';

/** Source position. Services of a request have the file `services[0]` and no line. */
export interface SourceLine {
  file: string;
  line: number | null;
}

/** A message about a source position. */
export interface ComposeProblem extends SourceLine {
  message: string;
  /** The variable that is not set, and the variable of a service that gets its value. */
  unset?: { name: string; of?: { service: string; key: string } };
}

const maxProblems = 100;
const maxSentence = 400;

export const sourceLineText = ({ file, line }: SourceLine): string => (line === null ? file : `${file}:${line}`);
export const problemText = (problem: ComposeProblem): string => `${sourceLineText(problem)}: ${problem.message}`;

/** All errors of a compose file, with their lines. */
export class ComposeError extends AppError {
  readonly problems: ComposeProblem[];

  constructor(problems: ComposeProblem[]) {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super('bad_request', `${first ? problemText(first) : 'The compose file cannot be used'}${more}`, {
      details: problems.map((problem) => ({ field: sourceLineText(problem), message: problem.message })),
    });
    this.name = 'ComposeError';
    this.problems = problems;
  }
}

/** Adds the variable that is not set to the errors of its line, which it has probably caused. */
export function withCauses(errors: readonly ComposeProblem[], warnings: readonly ComposeProblem[]): ComposeProblem[] {
  return errors.map((error) => {
    const cause = warnings.find(({ unset, file, line }) => unset && file === error.file && line === error.line)?.unset;
    if (!cause || error.unset) return error;
    return {
      ...error,
      unset: { name: cause.name },
      message: `${error.message}. The variable ${cause.name} is not set`,
    };
  });
}

/** Stops parsing at once, if it cannot continue. */
export const failParsing = (place: SourceLine, message: string): never => {
  throw new ComposeError([{ file: place.file, line: place.line, message: message.slice(0, maxSentence) }]);
};

/** Collects errors and warnings. Duplicates are dropped, and the number is limited. */
export class ComposeReport {
  readonly errors: ComposeProblem[] = [];
  readonly warnings: ComposeProblem[] = [];
  private readonly seen = new Set<string>();

  error(place: SourceLine, message: string, more: Pick<ComposeProblem, 'unset'> = {}): void {
    this.add(this.errors, place, message, more);
  }

  warn(place: SourceLine, message: string, more: Pick<ComposeProblem, 'unset'> = {}): void {
    this.add(this.warnings, place, message, more);
  }

  /** Whether that line already has an error. */
  isFaulty({ file, line }: SourceLine): boolean {
    return this.errors.some((error) => error.file === file && error.line === line);
  }

  /** Throws all errors, if any. */
  settle(): void {
    if (this.errors.length) throw new ComposeError(withCauses(this.errors, this.warnings));
  }

  private add(
    list: ComposeProblem[],
    { file, line }: SourceLine,
    message: string,
    more: Pick<ComposeProblem, 'unset'> = {},
  ): void {
    const sentence = message.slice(0, maxSentence);
    const key = `${list === this.errors}\0${file}\0${line}\0${sentence}`;
    if (list.length >= maxProblems || this.seen.has(key)) return;
    this.seen.add(key);
    list.push({ file, line, message: sentence, ...more });
  }
}
