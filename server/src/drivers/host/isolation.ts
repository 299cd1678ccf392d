import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { removeTree } from '../../lib/remove-tree.ts';
import { localHost } from './local.ts';
import { programFolders } from './program-folders.ts';
import type { AppUser, Sandbox, SandboxView } from './sandbox.ts';

/** How the processes of projects are kept apart from the service and from each other on this machine. */
export type ProcessIsolation =
  /** The service is root: each project has a user of its own. With `privateTmp`, /tmp of each command and app is its own
   * too, and `readable` are programs below the machine's. */
  | { kind: 'users'; processLimit: number; privateTmp?: { readable: string[] } }
  /** It is not: each command and app has namespaces of its own. */
  | { kind: 'namespaces'; processLimit: number; view: Pick<SandboxView, 'hidden' | 'readable'> }
  /** Not at all: `reason` says why, unless the operator has chosen so. */
  | { kind: 'none'; reason: string | null }
  /** The service is root and projects cannot have users: nothing of them is run. */
  | { kind: 'refused'; reason: string };

type Options = {
  dataDir: string;
  /** `none`: the operator accepts that apps run with the rights of the service. Has no meaning for root. */
  setting: 'auto' | 'none';
  processLimit: number;
  /** Where programs are looked for. */
  path: string;
};

const tryMs = 20_000;
/** Any user that is not ours. */
const nobody: AppUser = { uid: 65_534, gid: 65_534 };

/** Tries what this machine can do. */
export async function detectIsolation({ dataDir, setting, processLimit, path }: Options): Promise<ProcessIsolation> {
  await removeAbandoned(dataDir);
  if (process.getuid?.() === 0) {
    const barrier = impassable(dataDir);
    if (barrier) return { kind: 'refused', reason: `users of projects cannot enter ${barrier}` };
    return usersOf(dataDir, processLimit, path);
  }
  if (setting === 'none') return { kind: 'none', reason: null };
  const view = { hidden: hiddenFolders(dataDir), readable: programFolders(path, hiddenFolders(dataDir)) };
  const temporary = newTemporary(dataDir);
  try {
    const sandbox = { processLimit, view: { ...view, writable: [], temporary } };
    const problem = await failureOf(sandbox, ['test', '!', '-e', join(dataDir, 'service.lock')]);
    return problem === undefined ? { kind: 'namespaces', processLimit, view } : { kind: 'none', reason: problem };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Without CAP_SYS_ADMIN there is no mount namespace: projects then get a TMPDIR of their own. */
async function usersOf(dataDir: string, processLimit: number, path: string): Promise<ProcessIsolation> {
  const problem = await failureOf({ processLimit, user: nobody }, ['true']);
  if (problem !== undefined) return { kind: 'refused', reason: problem };
  const isolation = {
    kind: 'users',
    processLimit,
    privateTmp: { readable: programFolders(path, temporaryFolders) },
  } as const;
  const temporary = newTemporary(dataDir);
  try {
    const sandbox = sandboxOf(isolation, { user: nobody, writable: [dataDir], temporary })!;
    const failure = await failureOf(sandbox, ['test', '-w', '/tmp', '-a', '-e', dataDir]);
    return failure === undefined ? isolation : { kind: 'users', processLimit };
  } finally {
    await removeTree(temporary);
  }
}

const temporaryFolders = ['/tmp', '/var/tmp'];

/** Also where a link on the way leads: what is looked for by either name has to be there. */
const belowTemporary = (paths: string[]): string[] =>
  [...new Set(paths.flatMap((path) => [path, realpathSync(path)]))].filter((path) =>
    temporaryFolders.some((folder) => path.startsWith(`${folder}/`)),
  );

/** The sandbox of one project's command or app; undefined where there is none. */
export function sandboxOf(
  isolation: ProcessIsolation,
  { user, writable, temporary }: { user: AppUser | null; writable: [...string[], string]; temporary: string },
): Sandbox | undefined {
  if (isolation.kind === 'refused') throw new Error(isolation.reason);
  if (isolation.kind === 'none') return undefined;
  const { processLimit } = isolation;
  if (isolation.kind === 'users') {
    // Never as root, whatever the caller has forgotten.
    if (!user || user.uid === 0) throw new Error('a project has no user of its own');
    const { privateTmp } = isolation;
    // The last one is what the command calls its home.
    if (!privateTmp) return { processLimit, user, tmpDir: join(writable.at(-1)!, '.mooring-tmp') };
    const kept = [...privateTmp.readable, ...belowTemporary(writable)];
    return { processLimit, user, privateTmp: { folder: temporary, kept } };
  }
  return { processLimit, view: { ...isolation.view, writable, temporary } };
}

const temporaryPrefix = 'private-';

/** A folder for what a command writes to /tmp. */
export function newTemporary(dataDir: string): string {
  const folder = join(dataDir, 'tmp');
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return mkdtempSync(join(folder, temporaryPrefix));
}

/** A service that was killed could not remove its own. Its commands are ended before anything goes on. */
async function removeAbandoned(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'tmp');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names) if (name.startsWith(temporaryPrefix)) await removeTree(join(folder, name));
}

async function failureOf(sandbox: Sandbox, [file, ...args]: string[]): Promise<string | undefined> {
  let output = '';
  const command = { work: 'isolation', file: file!, args, cwd: '/', env: { PATH: '/usr/bin:/bin' }, sandbox };
  try {
    const { code, signal } = await localHost().exec(command, {
      onOutput: (_, chunk) => (output = (output + chunk.toString()).slice(-2000)),
      signal: new AbortController().signal,
      deadlineMs: tryMs,
    });
    if (code === 0) return undefined;
    return output.trim().split('\n').at(-1) || `${file} ended with ${signal ?? `exit code ${code}`}`;
  } catch (error) {
    return `${(error as Error).message} (the package util-linux has it)`;
  }
}

/** The outermost folder on the way that others may not pass. Only folders that no app owns are looked at: an app must have
 * no say in whether it is separated. */
export function impassable(folder: string): string | undefined {
  const barriers: string[] = [];
  for (let each = realpathSync(folder); ; each = dirname(each)) {
    if (!(statSync(each).mode & 0o001)) barriers.push(each);
    if (each === dirname(each)) return barriers.at(-1);
  }
}

/** A numeric user without an account has none. */
function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return '';
    throw error;
  }
}

const systemFolders = /^\/($|(usr|bin|sbin|lib\w*|etc|dev|proc|sys|boot)(\/|$))/;

/** The data folder, the home, sockets of other services (/run) and the cgroups that the service's user may change. */
function hiddenFolders(dataDir: string): string[] {
  const homes = [homedir(), accountHome()].filter((home) => home.startsWith('/') && existsSync(home));
  const own = [dataDir, ...homes].map((folder) => realpathSync(folder)).filter((folder) => !systemFolders.test(folder));
  return [...new Set([...own, '/run', '/sys/fs/cgroup'])].toSorted((a, b) => a.length - b.length);
}
