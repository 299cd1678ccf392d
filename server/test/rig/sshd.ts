import { execFileSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type EngineNamespace, entering } from './docker-namespace.ts';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { childrenOf } from './processes.ts';
import { amongPeople, type Person } from './sshd-people.ts';
import { until } from './until.ts';

export interface Sshd {
  host: string;
  port: number;
  user: string;
  sftpFolder: string;
  /** Lets in whoever has the private half. */
  allow(publicKey: string): void;
  /** Cuts every connection that there is; new ones are taken. */
  cut(): void;
  /** The same address, another machine. */
  changeHostKey(): Promise<void>;
  /** The machine was switched off: connections end too. */
  switchOff(): Promise<void>;
  /** As before; it sees an engine that was started anew meanwhile. */
  switchOn(): Promise<void>;
  stop(): Promise<void>;
}

type Options = {
  people?: Person[];
  engineSocket?: string;
  namespace?: EngineNamespace;
  /** Otherwise a free one. */
  port?: number;
  more?: string[];
  sftpFolder?: string;
  sftpArguments?: string[];
};

/** A real OpenSSH server on loopback, or in the network of an engine, that knows only the keys it is told of. `people` are users that only it sees, with
 * passwords; `engineSocket` is what it has at /var/run/docker.sock; `more` are further lines of its configuration. SFTP
 * starts in a folder of its own, or in the one that is named, and may be read-only. */
export async function startSshd({
  people = [],
  engineSocket,
  namespace,
  port: wantedPort,
  more = [],
  sftpFolder = newFolder('sftp'),
  sftpArguments = [],
}: Options = {}): Promise<Sshd> {
  const folder = newFolder('sshd');
  const [hostKey, keys, config] = ['host_key', 'authorized_keys', 'sshd_config'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const [host, port] = [namespace?.address ?? '127.0.0.1', wantedPort ?? (await freePort())];
  // Where it drops its rights to; the package's own service would make it.
  mkdirSync('/run/sshd', { recursive: true });
  // Each user reads it as themselves.
  chmodSync(folder, 0o755);
  writeFileSync(keys, '', { mode: 0o644 });
  const settings = [`ListenAddress ${host}:${port}`, `HostKey ${hostKey}`, `AuthorizedKeysFile ${keys}`];
  const rules = ['UsePAM no', 'StrictModes no', 'PermitRootLogin yes', 'PidFile none'];
  rules.push(`Subsystem sftp internal-sftp ${['-d', sftpFolder, ...sftpArguments].join(' ')}`);
  const passwords = `PasswordAuthentication ${people.length ? 'yes' : 'no'}`;
  writeFileSync(config, `${[...more, ...settings, ...rules, passwords].join('\n')}\n`);
  const [program, ...before] = [
    ...(namespace ? entering(namespace) : []),
    ...(people.length ? amongPeople(folder, people, engineSocket) : []),
    '/usr/sbin/sshd',
  ];
  let child: ChildProcess;
  const start = async () => {
    if (!existsSync(hostKey)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey]);
    child = spawnRecorded(program!, [...before, '-D', '-e', '-f', config], { stdio: 'ignore' });
    await until('sshd listens', () => listens(port, host));
  };
  const stop = async () => {
    child.kill();
    await exited(child);
  };
  await start();
  return {
    host,
    port,
    user: userInfo().username,
    sftpFolder,
    allow: (publicKey) => appendFileSync(keys, `${publicKey}\n`),
    cut: () => end(childrenOf(child.pid!)),
    async changeHostKey() {
      await stop();
      rmSync(hostKey, { force: true });
      await start();
    },
    async switchOff() {
      const sessions = childrenOf(child.pid!);
      await stop();
      end(sessions);
    },
    switchOn: start,
    stop,
  };
}

/** Those whose clients have gone end by themselves. */
function end(pids: number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
}

export const listens = (port: number, host = '127.0.0.1'): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
