import { type CrashExcerpt, unreachableIndex } from '../model/crash-excerpt.ts';
import type { DeploymentConfig } from '../model/model.ts';
import { knownCause } from './causes/index.ts';

export const fixBuild = 'Fix the error and deploy again. The log has the whole output.';

type Failed = {
  step: 'build' | 'release' | 'start';
  excerpt: CrashExcerpt | null;
  /** Whether something else ended it, so that missing output says nothing about the command. */
  isKilled?: boolean;
  /** Whether it exited with code 0. */
  isDone?: boolean;
  /** Whether it ran with the programs of the machine, not in an image. */
  isOnMachine?: boolean;
  /** The exit code, if it ended by itself. */
  exitCode?: number | null;
};

/** Tells how to fix a failed command or app, from its output. */
export function fixHint(
  { step, excerpt, isKilled = false, isDone = false, isOnMachine = false, exitCode = null }: Failed,
  { slug, variables }: Pick<DeploymentConfig, 'slug' | 'variables'>,
): string {
  const isBuild = step === 'build';
  const missing = excerpt && missingVariable(excerpt);
  if (missing && !variables.some(({ key, buildTime }) => key === missing && (buildTime || !isBuild)))
    return isBuild
      ? `${missing} is not set for builds. Set it with \`mooring env set ${slug} ${missing} --build-time\` and deploy again.`
      : `${missing} is not set. Set it with \`mooring env set ${slug} ${missing}\` and deploy again.`;
  if (excerpt?.reason.startsWith(unreachableIndex))
    return (
      'Check the network of the machine that builds, or set an index that it reaches: ' +
      `\`mooring env set ${slug} PIP_INDEX_URL=<url> --plain --build-time\`.`
    );
  const known = knownCause([...(excerpt?.output ?? []), ...(exitCode === 137 ? ['exit code 137'] : [])], {
    slug,
    isBuild,
  });
  if (known) return known;
  const [, program] = /: ([\w.+-]+): (?:command )?not found$/.exec(excerpt?.reason ?? '') ?? [];
  if (isBuild && isOnMachine && program)
    return ofNpm.has(program)
      ? `A script of the app runs ${program}. Add ${program} to devDependencies of package.json and deploy again.`
      : `${program} is not installed on this machine. Install it and deploy again, or install Docker: ` +
          'apps are then built in an image that has it.';
  const [, missingPackage] = packageNotFound.exec(excerpt?.reason ?? '') ?? [];
  if (missingPackage)
    return (
      `${missingPackage} is not installed. If it is a package, add it to the dependencies in package.json. ` +
      'Otherwise fix the import, and deploy again.'
    );
  if (isBuild) return fixBuild;
  if (isDone && !excerpt?.isError)
    return (
      'The start command must run a server that listens on $PORT until it is stopped. ' +
      `Set another one with \`mooring project set ${slug} startCommand=<command>\` and deploy again.`
    );
  if (step === 'start' && !excerpt && !isKilled)
    return 'It printed no reason. Check the start command, or let the app print its errors, and deploy again.';
  if (excerpt ? isWrongCommand(excerpt) : !isKilled) return `Fix the ${step} command and deploy again.`;
  const isInCode = excerpt?.isCrash === true && !isConnection.test(excerpt.reason);
  return `Fix the error${isInCode ? ' in the code' : ''} and deploy again.`;
}

/** Node.js; without the packages for one platform, which npm leaves out by a mistake of its own. */
const packageNotFound =
  /^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '((?:@[\w.-]+\/)?[a-z](?![\w.-]*-(?:linux|darwin|win32)-)[\w.-]*)'/;
const ofNpm = new Set(['yarn', 'pnpm', 'bun']);

/** Messages about a program or file that the command names. */
const wrongCommand = [
  /: (?:command )?not found$/,
  /: (?:\[Errno \d+\] )?(?:No such file or directory|Permission denied)$/,
  /python[\d.]*: No module named /,
];

const isWrongCommand = ({ isCrash, reason, lines }: CrashExcerpt): boolean =>
  isCrash
    ? // No file requires the missing one, so it is the one that `node` was given.
      reason.startsWith('Error: Cannot find module ') && lines.some((line) => line.includes('requireStack: []'))
    : wrongCommand.some((pattern) => pattern.test(reason));

/** Errors of other programs that the app connects to. */
const isConnection =
  /\b(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|OperationalError)\b|connection|connect to|fetch failed|timed? ?out|getaddrinfo/i;

const key = '["\'`]?([A-Z][A-Z0-9_]+)["\'`]?';
const notSet = '(?:not set|not found|not defined|missing|required|unset|undefined)';

const missingVariables = [
  // python-decouple
  /UndefinedValueError: ([A-Z][A-Z0-9_]+) not found\b/,
  // django-environ
  new RegExp(`[Ss]et the ${key} environment variable`),
  // Ruby: ENV.fetch
  /in [`'](?:ENV\.)?fetch': key not found: "([A-Z][A-Z0-9_]+)"/,
  // environs, Phoenix; Prisma
  new RegExp(`[Ee]nvironment variable:? ${key} (?:is |was )?${notSet}`),
  new RegExp(`[Ee]nvironment variable not found: ${key}`),
  new RegExp(`(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset) env(?:ironment)? ?var(?:iable)?s?:? ${key}`),
  new RegExp(`${key} env(?:ironment)? ?var(?:iable)? (?:is |was )?${notSet}`),
  // Only names with an underscore: others may be words of a sentence.
  /^Error: ([A-Z][A-Z0-9]*_[A-Z0-9_]+) (?:is |was )(?:not set|missing|required)\b/,
];

/** Name of the environment variable whose absence the output reports. */
function missingVariable({ reason, lines }: CrashExcerpt): string | undefined {
  const [, fromPython] = /^KeyError: '([A-Z][A-Z0-9_]*)'$/.exec(reason) ?? [];
  if (fromPython) return lines.some((line) => environLine.test(line)) ? fromPython : undefined;
  return missingVariables.map((pattern) => pattern.exec(reason)?.[1]).find((name) => name !== undefined);
}

/** A line of a traceback that reads `os.environ`. */
const environLine = /\benviron\[|(?:\/os\.py|<frozen os>)", line \d+, in __getitem__/;
