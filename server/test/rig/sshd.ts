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
  /** Authorizes a public key. */
  allow(publicKey: string): void;
  /** Cuts all connections; new ones are accepted. */
  cut(): void;
  /** The same address, another machine. */
  changeHostKey(): Promise<void>;
  /** Shuts the machine down: connections end too. */
  switchOff(): Promise<void>;
  /** Starts it again; it sees an engine that was restarted in the meantime. */
  switchOn(): Promise<void>;
  stop(): Promise<void>;
}

type Options = {
  people?: Person[];
  engineSocket?: string;
  namespace?: EngineNamespace;
  /** A free one by default. */
  port?: number;
  more?: string[];
  sftpFolder?: string;
  sftpArguments?: string[];
};

/** A real OpenSSH server on loopback, or in the network of an engine, that accepts only the given keys. `people` are
 * users with passwords that only it sees; `engineSocket` is mounted at /var/run/docker.sock; `more` are additional
 * lines of its configuration. SFTP starts in its own folder or the given one, and may be read-only. */
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
  // Its privilege separation folder, which the package's own service would create.
  mkdirSync('/run/sshd', { recursive: true });
  // Each user reads it with their own permissions.
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

/** Processes whose clients are gone end on their own. */
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
