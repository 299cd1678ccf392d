import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { confineScript, enterScript, initScript } from './sandbox-scripts.ts';

export interface AppUser {
  uid: number;
  gid: number;
}

/** What a project's process runs as and sees. Plain data: it is sent to supervisors. */
export interface Sandbox {
  /** Processes and threads, of the user or of the namespace. */
  processLimit: number;
  /** Where the service is root: the project's own user. */
  user?: AppUser;
  /** Where it is not: namespaces with this view of the file system. */
  view?: SandboxView;
}

export interface SandboxView {
  /** Folders that look empty. */
  hidden: string[];
  /** Programs inside of hidden folders. */
  readable: string[];
  writable: string[];
  /** What `/tmp` and `/var/tmp` are inside. */
  temporary: string;
}

export interface Program {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';
const shell = '/bin/sh';
/** Everything that a program starts carries these; they find it again. */
const markers = ['MOORING_PROCESS', 'MOORING_WORK'];

/** Starts a program that leads a session of its own. Without a sandbox it runs as we do. */
export function spawnProgram({ file, args, cwd, env }: Program, sandbox: Sandbox | undefined): ChildProcess {
  if (!sandbox) return spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const [program, ...rest] = [...wrapperOf(sandbox), ...script(enterScript, 'enter', cwd, file, ...args)];
  const marks = Object.entries(env).filter(([name]) => markers.includes(name));
  const child = spawn(program!, rest, {
    cwd: '/',
    env: { PATH: systemPath, ...Object.fromEntries(marks) },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const variables = child.stdio[3] as Writable;
  // It ended before it had read them: its exit tells why.
  variables.on('error', () => {});
  variables.end(Object.entries(env).map(encoded).join(''));
  return child;
}

/** How a program ended. The first process of a pid namespace can only pass a signal on as 128 and its number. */
export function exitOf(
  sandbox: Sandbox | undefined,
  code: number | null,
  signal: string | null,
): { code: number | null; signal: string | null } {
  if (!sandbox?.view || code === null || code <= 128) return { code, signal };
  const name = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
  return name ? { code: null, signal: name } : { code, signal };
}

/** Not of the network: the app is reached on the machine's loopback. */
const namespaces = 'unshare --user --map-current-user --keep-caps --mount --pid --ipc --fork --'.split(' ');

const script = (text: string, ...args: string[]): string[] => [shell, '-c', text, ...args];

const limitOf = ({ processLimit }: Sandbox): string => `--nproc=${processLimit}:${processLimit}`;

function wrapperOf(sandbox: Sandbox): string[] {
  const { user, view } = sandbox;
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
  return ['prlimit', limitOf(sandbox), '--', 'setpriv', ...asUser, '--no-new-privs', '--'];
}

/** A value may hold anything but a zero: each byte that is not plain is written as an octal escape. */
function encoded([name, value]: [string, string]): string {
  const bytes = Buffer.from(value, 'utf8').toString('latin1');
  const escaped = bytes.replaceAll(
    /[^A-Za-z0-9_./:@,+=-]/g,
    (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `${name}=${escaped}\n`;
}
