import { AppError } from '../errors.ts';

/** Where something was written. A service of a request has no lines: its file is `services[0]`, its line null. */
export interface SourceLine {
  file: string;
  line: number | null;
}

/** A sentence about something that was written, and where that is. */
export interface ComposeProblem extends SourceLine {
  message: string;
}

const maxProblems = 100;
const maxSentence = 400;

export const sourceLineText = ({ file, line }: SourceLine): string => (line === null ? file : `${file}:${line}`);
export const problemText = (problem: ComposeProblem): string => `${sourceLineText(problem)}: ${problem.message}`;

/** What is wrong with a compose file, all of it at once: each with its file and line. */
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

/** Ends the reading at once: for what leaves nothing to go on with. */
export const fail = (place: SourceLine, message: string): never => {
  throw new ComposeError([{ file: place.file, line: place.line, message: message.slice(0, maxSentence) }]);
};

/** Collects what is wrong and what is not carried out while a project is read. The same sentence about the same line is
 * kept once; beyond some hundred nobody reads on. */
export class ComposeReport {
  readonly errors: ComposeProblem[] = [];
  readonly warnings: ComposeProblem[] = [];
  private readonly seen = new Set<string>();

  error(place: SourceLine, message: string): void {
    this.add(this.errors, place, message);
  }

  warn(place: SourceLine, message: string): void {
    this.add(this.warnings, place, message);
  }

  /** Whether something on that line is wrong already. */
  isFaulty({ file, line }: SourceLine): boolean {
    return this.errors.some((error) => error.file === file && error.line === line);
  }

  /** Throws everything that is wrong, if anything is. */
  settle(): void {
    if (this.errors.length) throw new ComposeError(this.errors);
  }

  private add(list: ComposeProblem[], { file, line }: SourceLine, message: string): void {
    const sentence = message.slice(0, maxSentence);
    const key = `${list === this.errors}\0${file}\0${line}\0${sentence}`;
    if (list.length >= maxProblems || this.seen.has(key)) return;
    this.seen.add(key);
    list.push({ file, line, message: sentence });
  }
}
