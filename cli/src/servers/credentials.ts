import { readFileSync } from 'node:fs';
import { Failure, UsageError } from '../errors.ts';
import { secretFromStdin } from '../prompt.ts';

export type CredentialOptions = { 'generate-key'?: boolean; key?: string; passphrase?: boolean };

type Credentials = { generateKey: true } | { privateKey: string; passphrase?: string } | { password: string };

/** Reads the credentials of a server. Secrets come from a file, standard input or a prompt. */
export async function credentialsFrom({ key, passphrase, ...values }: CredentialOptions): Promise<Credentials> {
  if (values['generate-key'] && key) throw new UsageError('give either --generate-key or --key');
  if (passphrase && !key) throw new UsageError('--passphrase needs --key');
  if (values['generate-key']) return { generateKey: true };
  if (!key) return { password: await secretFromStdin('Password') };
  const privateKey = keyIn(key);
  return { privateKey, ...(passphrase && { passphrase: await secretFromStdin('Passphrase') }) };
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new Failure(`the key ${file} was not read: ${why}. --key takes the path of a private key file`);
  }
}

/** Parses `user@host`. Rejects passwords in it. */
export function targetFrom(text: string): { user: string; host: string } {
  const at = text.lastIndexOf('@');
  const [user, host] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  if (!user || !host) throw new UsageError(`${text} is not user@host, as in root@server.example.com`);
  if (user.includes(':'))
    throw new UsageError('passwords on the command line are visible to other users; leave it out to be prompted');
  return { user, host };
}
