import type { Command } from './command.ts';
import { commands } from './commands.ts';
import {
  commandsOf,
  findCommand,
  parseGlobalOptions,
  type GlobalValues,
  parseFor,
  requireArgs,
  unknownCommand,
} from './command-line.ts';
import { exitOfError, exitCodes, isClosedPipe } from './errors.ts';
import { helpOf, helpOfNoun, overviewHelp } from './help.ts';
import { findInstance } from './instance.ts';
import { Output } from './output.ts';
import { version } from './version.ts';

async function main(argv: string[]): Promise<void> {
  const { words, values } = parseGlobalOptions(argv);
  if (values.version) return new Output(values.json ?? false).print({ version }, () => `mooring ${version}`);
  if (!words.length) return show(overviewHelp(commands));
  if (words[0] === 'help') return show(helpOn(words.slice(1)));
  if (values.help) return show(helpOn(words));
  const command = findCommand(commands, words);
  if (!command) throw unknownCommand(commands, words);
  return run(command, argv);
}

async function run(command: Command, argv: string[]): Promise<void> {
  const { args, values } = parseFor(command, argv);
  requireArgs(command, args);
  const { url, json }: GlobalValues = values;
  await command.run({
    args,
    values: values as never,
    url,
    out: new Output(json ?? false),
    instance: () => findInstance(url),
  });
}

function helpOn(words: string[]): string {
  if (!words.length) return overviewHelp(commands);
  const command = findCommand(commands, words);
  if (command) return helpOf(command);
  const verbs = commandsOf(commands, words.join(' '));
  if (verbs.length) return helpOfNoun(verbs);
  throw unknownCommand(commands, words);
}

const show = (text: string) => void process.stdout.write(`${text}\n`);

function end(error: unknown): void {
  const { sentence, exitCode } = exitOfError(error);
  if (sentence) process.stderr.write(`mooring: ${sentence}\n`);
  process.exitCode = exitCode;
}

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (!isClosedPipe(error)) end(error);
    process.exit();
  });
process.once('SIGINT', () => process.exit(exitCodes.interrupted));

await main(process.argv.slice(2)).catch(end);
