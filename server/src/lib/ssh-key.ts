import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export type SshKey = { publicKey: string; privateKey: string; fingerprint: string };

/** Creates an ed25519 key pair in OpenSSH's format. */
export function newSshKey(comment: string): SshKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const shared = sharedHalf(publicKey);
  return {
    publicKey: `ssh-ed25519 ${shared.toString('base64')} ${comment}`,
    privateKey: ed25519Text(privateKey, comment),
    fingerprint: fingerprintOf(shared),
  };
}

const pointOf = (publicKey: KeyObject) => Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
const sharedHalf = (publicKey: KeyObject) => Buffer.concat([field('ssh-ed25519'), field(pointOf(publicKey))]);

/** In the format of `ssh-keygen -l`. */
export const fingerprintOf = (publicKey: Buffer): string =>
  `SHA256:${createHash('sha256').update(publicKey).digest('base64').replaceAll('=', '')}`;

/** Encodes a private ed25519 key as `openssh-key-v1` without a passphrase, the only format that programs read. */
export function ed25519Text(privateKey: KeyObject, comment: string): string {
  const publicKey = createPublicKey(privateKey);
  const [shared, point] = [sharedHalf(publicKey), pointOf(publicKey)];
  const secret = Buffer.concat([Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url'), point]);
  const check = randomBytes(4);
  const inner = [check, check, field('ssh-ed25519'), field(point), field(secret), field(comment)];
  const length = inner.reduce((sum, each) => sum + each.length, 0);
  const padding = Buffer.from(Array.from({ length: (8 - (length % 8)) % 8 }, (_, i) => i + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(field),
    one,
    field(shared),
    field(Buffer.concat([...inner, padding])),
  ]);
  const lines = whole.toString('base64').replaceAll(/.{1,70}/g, '$&\n');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}-----END OPENSSH PRIVATE KEY-----\n`;
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
