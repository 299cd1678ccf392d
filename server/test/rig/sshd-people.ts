import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Person = { name: string; uid: number; password: string; shell?: string };

/** Returns the command prefix for a program that sees these users in addition to the machine's: their account files
 * are bind-mounted in a private namespace. The engine's socket is at its usual path, even after the engine is
 * restarted. */
export function amongPeople(folder: string, people: Person[], engineSocket = ''): string[] {
  const [users, passwords] = [join(folder, 'passwd'), join(folder, 'shadow')];
  const lines = people.map(({ name, uid, shell = '/bin/sh' }) => `${name}:x:${uid}:${uid}::/tmp:${shell}\n`);
  const hashes = people.map(({ name, password }) => `${name}:${hashed(password)}:19000:0:99999:7:::\n`);
  writeFileSync(users, readFileSync('/etc/passwd', 'utf8') + lines.join(''));
  writeFileSync(passwords, readFileSync('/etc/shadow', 'utf8') + hashes.join(''), { mode: 0o600 });
  return ['unshare', '--mount', 'sh', '-ec', mounting, 'sh', users, passwords, engineSocket];
}

const mounting = `
mount --bind "$1" /etc/passwd
mount --bind "$2" /etc/shadow
if [ "$3" ]; then
  mount -t tmpfs tmpfs /run
  mkdir /run/sshd /run/engine
  mount --bind "\${3%/*}" /run/engine
  # Whether somebody may use it is said by the socket.
  chmod 711 /run/engine
  ln -s "/run/engine/\${3##*/}" /run/docker.sock
  # Another machine has files of its own there.
  mount -t tmpfs tmpfs /srv
fi
shift 3
exec "$@"
`;

const hashed = (password: string): string =>
  execFileSync('perl', ['-e', 'print crypt($ARGV[0], q($6$saltsalt$))', password], { encoding: 'utf8' });
