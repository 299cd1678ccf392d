import { createPrivateKey } from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';
import { ed25519Text } from '../../lib/ssh-key.ts';

export interface KeyText {
  text: string;
  passphrase: string | undefined;
}

/** A decrypted private key, and its public key as a line of `authorized_keys`. */
export interface OpenedKey {
  plain: string;
  publicHalf: string;
}

/** Opens a private key, however long that takes; returns `why` if it cannot be read. */
export function openedKey({ text, passphrase }: KeyText): OpenedKey | { why: string } {
  const parsed = attempt(() => ssh2.utils.parseKey(text, passphrase));
  if (parsed instanceof Error) return { why: parsed.message };
  // A text may contain several; ssh uses the first.
  const [key] = Array.isArray(parsed) ? (parsed as ParsedKey[]) : [parsed];
  if (!key?.isPrivateKey()) return { why: 'it is a public key' };
  const publicHalf = [key.type, key.getPublicSSH().toString('base64'), key.comment].filter(Boolean).join(' ');
  return { plain: plainText(key), publicHalf };
}

/** Encodes the key so that ssh2 can read it again, which requires OpenSSH's format for ed25519. */
function plainText(key: ParsedKey): string {
  const pem = key.getPrivatePEM();
  return key.type === 'ssh-ed25519' ? ed25519Text(createPrivateKey(pem), key.comment) : pem;
}

/** The parser throws for some inputs and returns an error for others. */
function attempt<T>(parse: () => T): T | Error {
  try {
    return parse();
  } catch (error) {
    return error as Error;
  }
}
