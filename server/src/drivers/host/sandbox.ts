import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { confineScript, enterScript, initScript, privateTmpScript } from './sandbox-scripts.ts';

export interface AppUser {
  uid: number;
  gid: number;
}

/** User and file system view of a project's process. Plain data, because it is sent to supervisors. */
export interface Sandbox {
  /** Limit of processes and threads, per user or namespace. */
  processLimit: number;
  /** If the service is root: the project's own user. */
  user?: AppUser;
  /** With `user`: its own /tmp, /var/tmp and /dev/shm in a mount namespace, because programs trust files there. */
  privateTmp?: PrivateTmp;
  /** With `user`, without mount namespaces: the value of `TMPDIR`, a folder of the project. */
  tmpDir?: string;
  /** If the service is not root: namespaces with this view of the file system. */
  view?: SandboxView;
}

export interface PrivateTmp {
  /** Holds /tmp until the next start. Must be closed to the project's user. */
  folder: string;
  /** Paths below /tmp and /var/tmp that stay visible, such as a data folder or programs. */
  kept: string[];
}

export interface SandboxView {
  /** Folders that appear empty. */
  hidden: string[];
  /** Programs inside hidden folders. */
  readable: string[];
  writable: string[];
  /** Folder mounted at `/tmp` and `/var/tmp`. */
  temporary: string;
}

export interface SandboxedProgram {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';
const shell = '/bin/sh';
/** Inherited by all processes of a program, to find them again. */
const markers = ['MOORING_PROCESS', 'MOORING_WORK'];

/** Starts a program that leads its own session. Without a sandbox it runs as we do. */
export function spawnProgram({ file, args, cwd, env }: SandboxedProgram, sandbox: Sandbox | undefined): ChildProcess {
  if (!sandbox) return spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [program, ...rest] = [...wrapperOf(sandbox), ...script(enterScript, 'enter', cwd, file, ...args)];
  const marks = Object.entries(env).filter(([name]) => markers.includes(name));
  const child = spawn(program!, rest, {
    cwd: '/',
    env: { PATH: systemPath, ...Object.fromEntries(marks) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(sandbox.view ? (['pipe'] as const) : [])],
  });
  const variables = child.stdio[3] as Writable;
  // It exited before it read them; its exit code tells why.
  variables.on('error', () => {});
  variables.end(
    Object.entries({ ...tmpVariables(sandbox), ...env })
      .map(encoded)
      .join(''),
  );
  return child;
}

/** An exit code and a line feed have at most four bytes. */
const longestStatus = 8;

export type ProgramExit = { code: number | null; signal: string | null };

/** Resolves with the program's exit, even if processes that it started keep running. Rejects when it cannot be
 * started. */
export function exitOf(child: ChildProcess): Promise<ProgramExit> {
  return new Promise((resolve, reject) => {
    let told = '';
    const status = child.stdio[4] as Readable | undefined;
    status?.on('data', (chunk: Buffer) => {
      told += chunk.subarray(0, longestStatus).toString('latin1');
      if (/^\d+\n$/.test(told)) resolve(exitByStatus(Number(told)));
      else if (told.length >= longestStatus) status.destroy();
    });
    status?.on('error', () => {});
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** A shell reports a signal as 128 plus its number. */
function exitByStatus(status: number): ProgramExit {
  const signal = Object.entries(constants.signals).find(([, number]) => number === status - 128)?.[0];
  return signal ? { code: null, signal } : { code: status, signal: null };
}

/** npm loads compiled code from its cache, by default below /tmp, without checking who wrote it. */
const tmpVariables = ({ tmpDir }: Sandbox): Record<string, string> =>
  tmpDir === undefined ? {} : { TMPDIR: tmpDir, NODE_COMPILE_CACHE: `${tmpDir}/node-compile-cache` };

/** No network namespace: the app is reached on the machine's loopback. */
const namespaces = 'unshare --user --map-current-user --keep-caps --mount --pid --ipc --fork --'.split(' ');

/** Unmounts on the machine propagate inside; nothing propagates out. */
const mountNamespace = 'unshare --mount --propagation slave --'.split(' ');

const script = (text: string, ...args: string[]): string[] => [shell, '-c', text, ...args];

const limitOf = ({ processLimit }: Sandbox): string => `--nproc=${processLimit}:${processLimit}`;

function wrapperOf(sandbox: Sandbox): string[] {
  const { user, view, privateTmp } = sandbox;
  if (view)
    return [
      ...namespaces,
      ...script(confineScript, 'confine', String(sandbox.processLimit), view.temporary),
      ...view.writable,
      '--',
      ...view.readable,
      '--',
      ...view.hidden,
      '--',
      ...script(initScript, 'init'),
    ];
  const asUser = user
    ? ['--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--inh-caps=-all']
    : [];
  const inPrivateTmp = privateTmp
    ? [...mountNamespace, ...script(privateTmpScript, 'private-tmp', privateTmp.folder), ...privateTmp.kept, '--']
    : [];
  return [...inPrivateTmp, 'prlimit', limitOf(sandbox), '--', 'setpriv', ...asUser, '--no-new-privs', '--'];
}

/** Encodes a value, which may contain anything but NUL: other bytes become octal escapes. */
function encoded([name, value]: [string, string]): string {
  const bytes = Buffer.from(value, 'utf8').toString('latin1');
  const escaped = bytes.replaceAll(
    /[^A-Za-z0-9_./:@,+=-]/g,
    (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `${name}=${escaped}\n`;
}
