import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';

/** Creates a key pair with OpenSSH. */
export function newSshKey(passphrase = ''): { privateKey: string; publicKey: string; file: string } {
  const file = join(newFolder('key'), 'id');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', file]);
  return { privateKey: readFileSync(file, 'utf8'), publicKey: readFileSync(`${file}.pub`, 'utf8').trim(), file };
}
