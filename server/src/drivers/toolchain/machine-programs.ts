import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where programs of the machine are; the `PATH` of apps. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const answerMs = 15_000;
const environment = { PATH: systemPath, LANG: 'C.UTF-8', HOME: '/nonexistent' };

/** Returns the path of the first program of that name; undefined if there is none. */
export function findProgram(name: string, path: string): string | undefined {
  return path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Missing, a dangling link, or not ours to run.
    return false;
  }
}

type Answer = { isDone: boolean; output: string };

/** Runs a program of the machine, not one of a project. */
export const runMachineProgram = (file: string, args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    const options = { cwd: '/', env: environment, timeout: answerMs, maxBuffer: 1_000_000 };
    execFile(file, args, options, (error, stdout, stderr) => resolve({ isDone: !error, output: stdout + stderr }));
  });

const known = new Map<string, Promise<string | undefined>>();

/** Returns the version that a program prints. Asked again when the file has changed. */
export function versionOf(file: string, args: string[] = ['--version']): Promise<string | undefined> {
  const { mtimeMs, ino } = statSync(file);
  const key = [file, mtimeMs, ino, ...args].join(' ');
  const version =
    known.get(key) ?? runMachineProgram(file, args).then(({ output }) => /\d+\.\d+(?:\.\d+)*/.exec(output)?.[0]);
  known.set(key, version);
  return version;
}

/** Returns the folder with the headers of the machine's Node; undefined if they are missing or of another version. */
export async function machineHeaders(node: string): Promise<string | undefined> {
  const folder = dirname(dirname(realpathSync(node)));
  const header = join(folder, 'include/node/node_version.h');
  if (!existsSync(header)) return undefined;
  const [, major] = /^#define NODE_MAJOR_VERSION (\d+)$/m.exec(readFileSync(header, 'utf8')) ?? [];
  return major !== undefined && (await versionOf(node))?.startsWith(`${major}.`) ? folder : undefined;
}

/** Returns those of the Debian packages that are not installed; none on other systems. */
export async function missingPackages(packages: readonly string[]): Promise<string[]> {
  const query = findProgram('dpkg-query', systemPath);
  const names = packages.filter((name) => /^[a-z0-9][a-z0-9.+-]+$/.test(name));
  if (!query || !names.length) return [];
  const { output } = await runMachineProgram(query, [
    '--show',
    '--showformat',
    '${Package} ${db:Status-Status}\\n',
    ...names,
  ]);
  const installed = new Set(output.split('\n').flatMap((line) => /^(\S+) installed$/.exec(line)?.[1] ?? []));
  return names.filter((name) => !installed.has(name));
}
