import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ContainerData, ContainerRef } from '../../../drivers/runtime/container-data.ts';
import { feedProgram } from '../../../lib/feed-program.ts';
import { redactor } from '../../../lib/redact.ts';
import { BackupError } from './source.ts';

export interface ToolCommand {
  args: string[];
  /** Secrets go here and never into `args`. */
  env?: Record<string, string>;
  input?: AsyncIterable<Buffer>;
  /** Receives the output; without it, `run` returns the output as text. */
  onOutput?: (chunk: Buffer) => Promise<void> | void;
}

/** Runs the programs of a database where that database is. */
export interface DatabaseTools {
  /** Where they run, for messages: `the service db`. */
  place: string;
  /** Throws a BackupError if the program fails. */
  run(program: ToolCommand): Promise<string>;
}

const mostText = 4 * 1024 * 1024;
const missingCodes = [126, 127];
/** Debian's packages of the programs that this machine needs for databases outside containers. */
const packages: Record<string, string> = {
  pg_dump: 'postgresql-client',
  pg_restore: 'postgresql-client',
  psql: 'postgresql-client',
  'mariadb-dump': 'mariadb-client',
  mysqldump: 'mariadb-client',
  mysql: 'mariadb-client',
  mariadb: 'mariadb-client',
  mongodump: 'mongodb-database-tools (from mongodb.com; Debian has no package)',
  'redis-cli': 'redis-tools',
};

/** Without the settings and passwords of the service's own user. */
const machineEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  HOME: '/nonexistent',
  PGPASSFILE: '/dev/null',
  PGSERVICEFILE: '/dev/null',
};

type Ended = { exitCode: number; stderr: string };

/** Runs programs inside a container. */
export const containerTools = (
  data: ContainerData,
  container: ContainerRef,
  { place, signal }: { place: string; signal: AbortSignal },
): DatabaseTools => ({
  place,
  run: (program) => outcomeOf(place, program, (onOutput) => data.exec(container, { ...program, onOutput, signal })),
});

/** Runs programs of this machine as the user of the app: a database may identify its clients by their user. */
export const machineTools = ({
  user,
  signal,
}: {
  user: { uid: number; gid: number } | null;
  signal: AbortSignal;
}): DatabaseTools => ({
  place: 'this machine',
  run: (program) => outcomeOf('this machine', program, (onOutput) => spawned({ ...program, onOutput }, user, signal)),
});

async function spawned(
  { args: [file, ...args], env, input, onOutput }: ToolCommand,
  user: { uid: number; gid: number } | null,
  signal: AbortSignal,
): Promise<Ended> {
  const child = spawn(file!, args, {
    env: { ...machineEnvironment, ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-8_000)));
  const closed = once(child, 'close') as Promise<[number | null]>;
  closed.catch(() => {});
  let inputError: unknown;
  child.stdin.on('error', () => {});
  feedProgram(input ?? nothing(), child.stdin).catch((error: unknown) => {
    inputError = error;
    child.kill('SIGKILL');
  });
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) await onOutput?.(chunk);
  const [code] = await closed.catch((error: NodeJS.ErrnoException) => {
    signal.throwIfAborted();
    if (error.code === 'ENOENT') return [127];
    throw error;
  });
  // A program that failed does not read its input to the end.
  if (inputError && (code === 0 || code === null)) throw inputError as Error;
  return { exitCode: code ?? 1, stderr };
}

async function* nothing(): AsyncGenerator<never> {}

async function outcomeOf(
  place: string,
  { args, env = {}, onOutput }: ToolCommand,
  run: (onOutput: NonNullable<ToolCommand['onOutput']>) => Promise<Ended>,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const collect = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostText) parts.push(chunk);
  };
  const { exitCode, stderr } = await run(onOutput ?? collect);
  const output = Buffer.concat(parts).toString();
  if (exitCode === 0) return output;
  const program = args[0]!;
  if (missingCodes.includes(exitCode)) throw missingToolError(program, place);
  const redact = redactor(Object.values(env).filter((value) => value.length > 3));
  const said = redact(stderr || output)
    .trim()
    .split('\n')
    .slice(-3)
    .join(' ')
    .slice(0, 500);
  throw new BackupError(
    'tool_failed',
    `${program} in ${place} failed with exit code ${exitCode}: ${said || 'it gave no reason'}`,
    'Fix the cause and run it again.',
  );
}

export const missingToolError = (program: string, place: string): BackupError =>
  place === 'this machine'
    ? new BackupError(
        'tool_missing',
        `${program} is not installed on this machine`,
        `Install Debian's package ${packages[program] ?? program}, for example: apt-get install ${packages[program] ?? program}`,
      )
    : new BackupError(
        'tool_missing',
        `${place} has no program ${program}`,
        'Use an image of the database that includes its client programs.',
      );

/** Whether the error means that the program does not exist there. */
export const isToolMissing = (error: unknown): boolean => error instanceof BackupError && error.code === 'tool_missing';

const known = new WeakMap<DatabaseTools, Map<string, Promise<string>>>();

/** Returns the first of the programs that exists. MariaDB and MySQL name theirs differently. */
export function firstTool(tools: DatabaseTools, programs: readonly string[]): Promise<string> {
  const found = known.get(tools) ?? new Map<string, Promise<string>>();
  known.set(tools, found);
  const key = programs.join();
  const first = found.get(key) ?? searched(tools, programs);
  found.set(key, first);
  // The server may only be starting.
  first.catch(() => found.delete(key));
  return first;
}

async function searched(tools: DatabaseTools, programs: readonly string[]): Promise<string> {
  for (const program of programs)
    try {
      await tools.run({ args: [program, '--version'] });
      return program;
    } catch (error) {
      if (!isToolMissing(error)) throw error;
    }
  throw missingToolError(programs[0]!, tools.place);
}
