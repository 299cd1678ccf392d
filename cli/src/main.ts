import type { Command } from './command.ts';
import {
  commandsOf,
  findCommand,
  firstLook,
  type GlobalValues,
  parseFor,
  requireArgs,
  unknownCommand,
} from './command-line.ts';
import { api } from './commands/api.ts';
import { audit } from './commands/audit.ts';
import { cloudCommands } from './commands/cloud.ts';
import { cutOverCommands } from './commands/cut-over.ts';
import { decideCommands } from './commands/decide.ts';
import { deploy } from './commands/deploy.ts';
import { deployments } from './commands/deployments.ts';
import { destinationCommands } from './commands/destination.ts';
import { deployKey } from './commands/deploy-key.ts';
import { domainCommands } from './commands/domain.ts';
import { envCommands } from './commands/env.ts';
import { githostCommands } from './commands/githost.ts';
import { limits } from './commands/limits.ts';
import { linkCommands } from './commands/link.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { logs } from './commands/logs.ts';
import { machineCommands } from './commands/machine.ts';
import { memberCommands } from './commands/member.ts';
import { migrateCommands } from './commands/migrate.ts';
import { open } from './commands/open.ts';
import { plan } from './commands/plan.ts';
import { projectCommands } from './commands/project.ts';
import { releaseCommands } from './commands/release.ts';
import { serverCommands } from './commands/server.ts';
import { scaleCommands } from './commands/scale.ts';
import { servicesCommands } from './commands/services.ts';
import { tokenCommands } from './commands/token.ts';
import { volumeCommands } from './commands/volume.ts';
import { whoami } from './commands/whoami.ts';
import { endingOf, exitCodes, isClosedPipe } from './errors.ts';
import { helpOf, helpOfNoun, overview } from './help.ts';
import { findInstance } from './instance.ts';
import { Output } from './output.ts';
import { version } from './version.ts';

/** Every command there is, in the order of the help. */
const commands: Command[] = [
  login,
  logout,
  whoami,
  deploy,
  plan,
  deployments,
  ...scaleCommands,
  ...servicesCommands,
  logs,
  open,
  ...releaseCommands,
  ...decideCommands,
  ...projectCommands,
  deployKey,
  ...linkCommands,
  ...domainCommands,
  ...envCommands,
  ...volumeCommands,
  ...githostCommands,
  ...serverCommands,
  ...migrateCommands,
  ...cutOverCommands,
  ...cloudCommands,
  limits,
  ...destinationCommands,
  ...memberCommands,
  ...tokenCommands,
  audit,
  api,
  ...machineCommands,
];

async function main(argv: string[]): Promise<void> {
  const { words, values } = firstLook(argv);
  if (values.version) return new Output(values.json ?? false).print({ version }, () => `mooring ${version}`);
  if (!words.length) return show(overview(commands));
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
  if (!words.length) return overview(commands);
  const command = findCommand(commands, words);
  if (command) return helpOf(command);
  const verbs = commandsOf(commands, words[0]!);
  if (words.length === 1 && verbs.length) return helpOfNoun(verbs);
  throw unknownCommand(commands, words);
}

const show = (text: string) => void process.stdout.write(`${text}\n`);

function end(error: unknown): void {
  const { sentence, exitCode } = endingOf(error);
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
