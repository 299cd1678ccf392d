import { parseArgs } from 'node:util';
import { type Command, globalOptions, type Options, type Values } from './command.ts';
import { UsageError } from './errors.ts';
import { closestMatch } from './closest-match.ts';

export type GlobalValues = Values<typeof globalOptions>;

type Parsed = { args: string[]; values: GlobalValues & Record<string, unknown> };

/** Splits the command line into words and global options before the command is known. */
export function parseGlobalOptions(argv: string[]): { words: string[]; values: GlobalValues } {
  const { positionals, values } = parseArgs({
    args: argv,
    options: globalOptions,
    strict: false,
    allowPositionals: true,
  });
  return { words: positionals, values: values as GlobalValues };
}

/** Finds the command that the words begin with, preferring the longer name. */
export function findCommand(commands: Command[], words: string[]): Command | undefined {
  const named = (count: number) => commands.find(({ name }) => name === words.slice(0, count).join(' '));
  return named(3) ?? named(2) ?? named(1);
}

/** Returns the commands that begin with this noun. */
export const commandsOf = (commands: Command[], noun: string) =>
  commands.filter(({ name }) => name.startsWith(`${noun} `));

export function unknownCommand(commands: Command[], words: string[]): UsageError {
  const [first = '', second = ''] = words;
  const isNested = commandsOf(commands, `${first} ${second}`).length > 0;
  const [noun, verb] = isNested ? [`${first} ${second}`, words[2]] : [first, words[1]];
  const verbs = commandsOf(commands, noun);
  if (verbs.length && verb === undefined)
    return new UsageError(`${noun} needs one more word: ${verbs.map(({ name }) => name).join(', ')}`);
  const given = verbs.length ? `${noun} ${verb}` : noun;
  const suggestion = closestMatch(given, namesLike(verbs.length ? verbs : commands, given));
  const hint = suggestion ? `did you mean ${suggestion}?` : `see: mooring ${verbs.length ? `${noun} --help` : 'help'}`;
  return new UsageError(`there is no command ${given}; ${hint}`);
}

/** Candidates for a suggestion: full names, or first words if only one word was given. */
function namesLike(commands: Command[], given: string): string[] {
  return commands.map(({ name }) => (given.includes(' ') ? name : name.split(' ')[0]!));
}

/** Parses the options and arguments of a known command. */
export function parseFor(command: Command, argv: string[]): Parsed {
  const options: Options = { ...globalOptions, ...command.options };
  const { positionals, values } = strictly(() =>
    parseArgs({ args: withEmptyValues(argv, options), options, allowPositionals: true }),
  );
  return { args: positionals.slice(command.name.split(' ').length), values };
}

/** Node's parser would take the next word as the value of an option with an optional value. */
function withEmptyValues(argv: string[], options: Options): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const isOptional = word.startsWith('--') && options[word.slice(2)]?.optional && (end < 0 || index < end);
    return isOptional ? `${word}=` : word;
  });
}

export function requireArgs({ name, parameters = [] }: Command, args: string[]): void {
  const missing = parameters.slice(args.length).find((parameter) => parameter.startsWith('<'));
  if (missing) throw new UsageError(`${missing} is missing; see: mooring ${name} --help`);
  if (args.length > parameters.length && !parameters.at(-1)?.includes('...'))
    throw new UsageError(`${args[parameters.length]} is an unexpected argument; see: mooring ${name} --help`);
}

/** Turns Node's parse errors into usage errors, without Node's advice. */
function strictly<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error;
    const sentence = message.split(/\.\s/)[0]!.replace(/\.$/, '');
    throw new UsageError(sentence.charAt(0).toLowerCase() + sentence.slice(1));
  }
}
