import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { removeTree } from '../../lib/remove-tree.ts';
import { localHost } from './local.ts';
import { programFolders } from './program-folders.ts';
import type { AppUser, Sandbox, SandboxView } from './sandbox.ts';

/** How project processes are isolated from the service and from each other. */
export type ProcessIsolation =
  /** The service is root: each project has its own user. With `privateTmp` each command and app also has its own
   * /tmp, and `readable` are programs below the machine's. */
  | { kind: 'users'; processLimit: number; privateTmp?: { readable: string[] } }
  /** The service is not root: each command and app has its own namespaces. */
  | { kind: 'namespaces'; processLimit: number; view: Pick<SandboxView, 'hidden' | 'readable'> }
  /** No isolation: `reason` says why, or null if the operator chose it. */
  | { kind: 'none'; reason: string | null }
  /** The service is root but cannot use project users: nothing of projects runs. */
  | { kind: 'refused'; reason: string };

type Options = {
  dataDir: string;
  /** `none`: the operator accepts that apps run with the service's privileges. Has no effect for root. */
  setting: 'auto' | 'none';
  processLimit: number;
  /** Search path for programs. */
  path: string;
};

const tryMs = 20_000;
/** Any user that is not ours. */
const nobody: AppUser = { uid: 65_534, gid: 65_534 };

/** Detects what this machine supports. */
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

/** Without CAP_SYS_ADMIN there are no mount namespaces: projects then get their own TMPDIR. */
async function usersOf(dataDir: string, processLimit: number, path: string): Promise<ProcessIsolation> {
  const isolation = {
    kind: 'users',
    processLimit,
    privateTmp: { readable: programFolders(path, temporaryFolders) },
  } as const;
  const temporary = newTemporary(dataDir);
  try {
    const sandbox = sandboxOf(isolation, { user: nobody, writable: [dataDir], temporary })!;
    const failure = await failureOf(sandbox, ['test', '-w', '/tmp', '-a', '-e', dataDir]);
    if (failure === undefined) return isolation;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const problem = await failureOf({ processLimit, user: nobody }, ['true']);
  return problem === undefined ? { kind: 'users', processLimit } : { kind: 'refused', reason: problem };
}

const temporaryFolders = ['/tmp', '/var/tmp'];

/** Includes resolved paths, because programs may use either. */
const belowTemporary = (paths: string[]): string[] =>
  [...new Set(paths.flatMap((path) => [path, realpathSync(path)]))].filter((path) =>
    temporaryFolders.some((folder) => path.startsWith(`${folder}/`)),
  );

type Access = {
  user: AppUser | null;
  writable: [...string[], string];
  /** Folders of ours that it may read. */
  readable?: string[];
  temporary: string;
};

/** Returns the sandbox of a project's command or app; undefined without isolation. */
export function sandboxOf(
  isolation: ProcessIsolation,
  { user, writable, readable = [], temporary }: Access,
): Sandbox | undefined {
  if (isolation.kind === 'refused') throw new Error(isolation.reason);
  if (isolation.kind === 'none') return undefined;
  const { processLimit } = isolation;
  if (isolation.kind === 'users') {
    // Never as root, whatever the caller forgot.
    if (!user || user.uid === 0) throw new Error('a project has no user of its own');
    const { privateTmp } = isolation;
    // The last path is the command's home.
    if (!privateTmp) return { processLimit, user, tmpDir: join(writable.at(-1)!, '.mooring-tmp') };
    const kept = [...privateTmp.readable, ...belowTemporary([...writable, ...readable])];
    return { processLimit, user, privateTmp: { folder: temporary, kept } };
  }
  const view = { ...isolation.view, readable: [...isolation.view.readable, ...readable] };
  return { processLimit, view: { ...view, writable, temporary } };
}

const temporaryPrefix = 'private-';

/** Creates a folder for a command's /tmp. */
export function newTemporary(dataDir: string): string {
  const folder = join(dataDir, 'tmp');
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return mkdtempSync(join(folder, temporaryPrefix));
}

/** Removes temporary folders of a killed service, whose commands are ended before anything else. */
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

/** Returns the outermost folder on the path that other users cannot enter. Only checks folders that no app owns: an
 * app must not influence its isolation. */
export function impassable(folder: string): string | undefined {
  const barriers: string[] = [];
  for (let each = realpathSync(folder); ; each = dirname(each)) {
    if (!(statSync(each).mode & 0o001)) barriers.push(each);
    if (each === dirname(each)) return barriers.at(-1);
  }
}

/** A numeric user without an account has no home. */
function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return '';
    throw error;
  }
}

const systemFolders = /^\/($|(usr|bin|sbin|lib\w*|etc|dev|proc|sys|boot)(\/|$))/;

/** The data folder, the home, sockets of other services (/run) and cgroups that the service's user may change. */
function hiddenFolders(dataDir: string): string[] {
  const homes = [homedir(), accountHome()].filter((home) => home.startsWith('/') && existsSync(home));
  const own = [dataDir, ...homes].map((folder) => realpathSync(folder)).filter((folder) => !systemFolders.test(folder));
  return [...new Set([...own, '/run', '/sys/fs/cgroup'])].toSorted((a, b) => a.length - b.length);
}
