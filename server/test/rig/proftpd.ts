import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { listens } from './sshd.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

export interface Proftpd {
  port: number;
  user: string;
  password: string;
  /** The user's root folder. */
  folder: string;
  stop(): Promise<void>;
}

const password = 'right horse';

/** A real ProFTPD with SFTP and one user with a password, confined to one folder. */
export async function startProftpd(home = newFolder('proftpd-home')): Promise<Proftpd> {
  const folder = newFolder('proftpd');
  const port = await freePort();
  const [key, users, config] = ['host_key', 'users', 'proftpd.conf'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-m', 'PEM', '-N', '', '-f', key]);
  const hash = execFileSync('openssl', ['passwd', '-6', '-stdin'], { input: password, encoding: 'utf8' }).trim();
  writeFileSync(users, `rig:${hash}:0:0::${home}:/bin/sh\n`, { mode: 0o600 });
  chmodSync(home, 0o700);
  const settings = [
    'LoadModule mod_sftp.c',
    'ServerType standalone',
    'DefaultAddress 127.0.0.1',
    `Port ${port}`,
    'UseIPv6 off',
    'User root',
    'Group root',
    'RootLogin on',
    'RequireValidShell off',
    'AuthOrder mod_auth_file.c',
    `AuthUserFile ${users}`,
    'DefaultRoot ~',
    'AllowOverwrite on',
    `PidFile ${folder}/pid`,
    `ScoreboardFile ${folder}/scoreboard`,
    'WtmpLog off',
    `SystemLog ${folder}/system.log`,
    'SFTPEngine on',
    `SFTPHostKey ${key}`,
    'SFTPAuthMethods password',
    `SFTPLog ${folder}/sftp.log`,
  ];
  writeFileSync(config, `${settings.join('\n')}\n`);
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawnRecorded('/usr/sbin/proftpd', ['--nodaemon', '-c', config], { stdio: ['ignore', log, log] });
  closeSync(log);
  await until('ProFTPD listens', () => listens(port)).catch((error: unknown) => {
    throw new Error(readFileSync(join(folder, 'log'), 'utf8').slice(-1000), { cause: error });
  });
  return {
    port,
    user: 'rig',
    password,
    folder: home,
    async stop() {
      child.kill();
      await exited(child);
    },
  };
}
