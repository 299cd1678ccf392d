import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { StartError } from '../../errors.ts';

// Keys of the age file format (https://age-encryption.org/v1): X25519 keys as Bech32 text, as `age-keygen` writes them.

export interface AgeIdentity {
  privateKey: KeyObject;
  recipient: Buffer;
}

const identityPrefix = 'age-secret-key-';
const recipientPrefix = 'age';

/** Creates an identity file with its recipient as a comment. */
export function newIdentityFile(now = new Date()): string {
  const { privateKey } = generateKeyPairSync('x25519');
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url');
  const text = bech32(identityPrefix, secret).toUpperCase();
  const { recipient } = parseIdentity(text, 'the new key');
  return `# created: ${now.toISOString()}\n# public key: ${recipientText(recipient)}\n${text}\n`;
}

/** Reads the first identity of an identity file. `name` is for messages. */
export function parseIdentity(text: string, name: string): AgeIdentity {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .find((each) => each && !each.startsWith('#'));
  const secret = line && /^AGE-SECRET-KEY-1/i.test(line) ? decodeBech32(line, identityPrefix) : undefined;
  if (secret?.length !== 32) throw new StartError(`${name} is not a backup key: it has no line AGE-SECRET-KEY-1...`);
  const privateKey = createPrivateKey({
    key: Buffer.concat([privateKeyDer, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, recipient: Buffer.from(x!, 'base64url') };
}

export const recipientText = (recipient: Buffer): string => bech32(recipientPrefix, recipient);

/** Returns undefined for text that is no `age1...` key. */
export function decodeRecipient(text: string): Buffer | undefined {
  const bytes = decodeBech32(text, recipientPrefix);
  return bytes?.length === 32 ? bytes : undefined;
}

export const publicKeyOf = (bytes: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([publicKeyDer, bytes]), format: 'der', type: 'spki' });

// What precedes the 32 bytes of a key in PKCS #8 and SubjectPublicKeyInfo (RFC 8410).
const privateKeyDer = Buffer.from('302e020100300506032b656e04220420', 'hex');
const publicKeyDer = Buffer.from('302a300506032b656e032100', 'hex');

const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** Encodes bytes as Bech32 (BIP 173) without its length limit, in lower case. */
function bech32(prefix: string, bytes: Buffer): string {
  const data = regrouped([...bytes], 8, 5, true)!;
  const sum = polymod([...expanded(prefix), ...data, 0, 0, 0, 0, 0, 0]) ^ 1;
  const checksum = Array.from({ length: 6 }, (_, i) => (sum >> (5 * (5 - i))) & 31);
  return `${prefix}1${[...data, ...checksum].map((each) => letters[each]).join('')}`;
}

/** Returns undefined for text with another prefix or a typo. */
function decodeBech32(text: string, prefix: string): Buffer | undefined {
  if (text !== text.toUpperCase() && text !== text.toLowerCase()) return undefined;
  const lower = text.toLowerCase();
  if (!lower.startsWith(`${prefix}1`)) return undefined;
  const values = lower
    .slice(prefix.length + 1)
    .split('')
    .map((letter) => letters.indexOf(letter));
  if (values.includes(-1) || polymod([...expanded(prefix), ...values]) !== 1) return undefined;
  const bytes = regrouped(values.slice(0, -6), 5, 8, false);
  return bytes && Buffer.from(bytes);
}

const expanded = (prefix: string): number[] => {
  const codes = [...Buffer.from(prefix)];
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
};

const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function polymod(values: number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [i, generator] of generators.entries()) if ((top >> i) & 1) sum ^= generator;
  }
  return sum;
}

/** Regroups bits. Without padding, leftover bits must be zero. */
function regrouped(values: number[], from: number, to: number, pad: boolean): number[] | undefined {
  const out: number[] = [];
  let held = 0;
  let bits = 0;
  for (const value of values) {
    held = ((held << from) | value) & 0xfff;
    for (bits += from; bits >= to;) {
      bits -= to;
      out.push((held >> bits) & ((1 << to) - 1));
    }
  }
  const rest = (held << (to - bits)) & ((1 << to) - 1);
  if (pad && bits) out.push(rest);
  return !pad && (bits >= from || (bits && rest)) ? undefined : out;
}
