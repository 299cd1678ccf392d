import ssh2, { type ParsedKey } from 'ssh2';
import { SshError } from './ssh.ts';

// A passphrase is turned into a key by so many rounds of bcrypt, about 20 ms each, while nothing else goes on here. What
// ssh-keygen uses by itself is 16 or 24.
const mostRounds = 32;

/** A private key as somebody gave it to us; `bad_key` for what is none, or cannot be opened. */
export function readPrivateKey(text: string, passphrase: string | undefined): ParsedKey {
  const rounds = roundsOf(text);
  if (rounds > mostRounds)
    throw unreadable(`its passphrase takes ${rounds} rounds, and at most ${mostRounds} are done (ssh-keygen -p -a 16)`);
  const parsed = attempt(() => ssh2.utils.parseKey(text, passphrase));
  if (parsed instanceof Error) throw unreadable(parsed.message);
  // Several may be in one text; ssh uses the first.
  const [key] = Array.isArray(parsed) ? (parsed as ParsedKey[]) : [parsed];
  if (!key?.isPrivateKey()) throw unreadable('it is the public half');
  return key;
}

/** The public half of it, as a line of `authorized_keys`. */
export function publicHalfOf(text: string, passphrase: string | undefined): string {
  const key = readPrivateKey(text, passphrase);
  return [key.type, key.getPublicSSH().toString('base64'), key.comment].filter(Boolean).join(' ');
}

const unreadable = (why: string) => new SshError('bad_key', `the private key cannot be read: ${why}`);

/** The parser throws for some texts and returns an error for others. */
function attempt<T>(parse: () => T): T | Error {
  try {
    return parse();
  } catch (error) {
    return error as Error;
  }
}

/** From the head of the format `openssh-key-v1`; 0 for a key in another one, or without a passphrase. */
function roundsOf(text: string): number {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]+)-----END/.exec(text)?.[1];
  const bytes = Buffer.from(body ?? '', 'base64');
  let at = 'openssh-key-v1\0'.length;
  const field = () => {
    if (at + 4 > bytes.length) return Buffer.alloc(0);
    const begin = at + 4;
    at = begin + bytes.readUInt32BE(at);
    return bytes.subarray(begin, at);
  };
  const [, method, options] = [field(), field().toString(), field()];
  if (method !== 'bcrypt' || options.length < 4) return 0;
  const afterSalt = 4 + options.readUInt32BE(0);
  return afterSalt + 4 > options.length ? 0 : options.readUInt32BE(afterSalt);
}
