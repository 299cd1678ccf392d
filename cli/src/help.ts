import { type Command, globalOptions, type Option, type Options } from './command.ts';
import { aligned, bold } from './output.ts';

export function overviewHelp(commands: Command[]): string {
  return [
    `${bold('mooring')}: your apps on your own machines, from a terminal`,
    '',
    usageLine('mooring <command>'),
    '',
    ...summaries(commands),
    '',
    ...optionLines(globalOptions),
    '',
    'MOORING_URL and MOORING_TOKEN override the stored login; MOORING_CONFIG is the path of its file.',
    'Run mooring <command> --help for details.',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const { options = {}, description, summary } = command;
  return [
    `${summary}.`,
    '',
    usageLine(`mooring ${signature(command)}`),
    ...(description ? ['', description] : []),
    '',
    ...optionLines({ ...options, ...globalOptions }),
  ].join('\n');
}

export function helpOfNoun(commands: Command[]): string {
  return [...summaries(commands), '', 'Run mooring <command> --help for details.'].join('\n');
}

const summaries = (commands: Command[]) =>
  columns(commands.filter(({ hidden }) => !hidden).map((command) => [signature(command), command.summary]));

const usageLine = (usage: string) => `${bold('Usage:')} ${usage} [options]`;

const signature = ({ name, parameters = [] }: Command) => [name, ...parameters].join(' ');

const optionLines = (options: Options) =>
  columns(
    Object.entries(options)
      .filter(([, { hidden }]) => !hidden)
      .map(([name, option]) => [flag(name, option), option.help]),
  );

function flag(name: string, { short, value, optional }: Option): string {
  const shown = value && (optional ? `[=${value}]` : ` ${value}`);
  return `${short ? `-${short}, ` : ''}--${name}${shown ?? ''}`;
}

function columns(lines: string[][]): string[] {
  const width = Math.max(...lines.map(([first]) => first!.length));
  return lines.map((line) => `  ${aligned(line, [width])}`);
}
