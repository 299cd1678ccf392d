import { posix } from 'node:path';
import { exampleNames, isExampleOnly } from '../../detect/facts/variables.ts';
import { ComposeError, type ComposeReport } from '../problems.ts';
import { dotenv } from '../values/dotenv.ts';
import { parentFolder } from './paths.ts';
import type { FileReader } from './reader.ts';

/** The example of a file that people keep out of the source: `.env.example` for `.env`. */
export class ExampleValues {
  readonly path: string;
  /** Values that can be used as they are: no secrets and no placeholders. */
  readonly values = new Map<string, string>();
  readonly #others: string[] = [];
  readonly #used = new Set<string>();

  constructor(path: string, all: ReadonlyMap<string, string>) {
    this.path = path;
    for (const [name, value] of all)
      if (isExampleOnly(name, value)) this.#others.push(name);
      else this.values.set(name, value);
  }

  /** Returns the value of a variable that is not set. */
  use(name: string): string | undefined {
    const value = this.values.get(name);
    if (value !== undefined) this.#used.add(name);
    return value;
  }

  /** Returns the variables that need a value of their own. */
  missing = (given: Given): string[] => this.#others.filter((name) => !Object.hasOwn(given, name));

  /** Warns about values that were used. */
  tell(report: ComposeReport): void {
    if (!this.#used.size) return;
    const names = [...this.#used].join(', ');
    report.warn(
      { file: this.path, line: null },
      `these variables are not set and get their value of this file: ${names}`,
    );
  }
}

type Given = Readonly<Record<string, string>>;

/** Returns the example of a missing file; undefined if there is none. Given values take precedence in references. */
export function exampleFor(reader: FileReader, path: string, given: Given): Promise<ExampleValues | undefined> {
  const known = reader.knownExamples.get(path) ?? readExample(reader, path, given);
  reader.knownExamples.set(path, known);
  return known;
}

async function readExample(reader: FileReader, path: string, given: Given): Promise<ExampleValues | undefined> {
  const folder = parentFolder(path);
  const present = new Set(await reader.list(folder));
  const name = exampleNames(posix.basename(path)).find((each) => present.has(each));
  if (name === undefined) return undefined;
  const file = posix.join(folder, name);
  const text = await reader.text(file, { file, line: null });
  try {
    const lookup = (key: string) => (Object.hasOwn(given, key) ? given[key] : undefined);
    return new ExampleValues(file, dotenv(text ?? '', file, lookup));
  } catch (error) {
    if (!(error instanceof ComposeError)) throw error;
    for (const problem of error.problems) reader.report.warn(problem, `the example is not used: ${problem.message}`);
    return undefined;
  }
}
