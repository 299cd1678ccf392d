import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

// The part of ASN.1 that certificates need, so that no other program is required.
const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const { length } = body;
  const bytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), body]);
};
const sequence = (...content: Buffer[]) => der(0x30, ...content);
const number = (bytes: Buffer) => der(0x02, bytes);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (at: number) => der(0x18, Buffer.from(new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '')));
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const nameOf = (value: string) => sequence(der(0x31, sequence(objectId('550403'), text(value))));
const extension = (id: string, content: Buffer) => sequence(objectId(id), der(0x04, content));
const dayMs = 24 * 3_600_000;

export type Signed = { key: string; cert: string };

/** A self-signed certificate for a name or address, and its key; valid for `days`, or expired if negative. */
export const selfSigned = (host: string, days = 2): Signed => signedBy(undefined, host, days);

/** A certificate signed by another one made here; optionally with an RSA key of that size, or valid from a later
 * day. */
export function signedBy(
  issuer: (Signed & { host: string }) | undefined,
  host: string,
  days = 2,
  { rsaBits, beginsInDays = -10 }: { rsaBits?: number; beginsInDays?: number } = {},
): Signed {
  const made =
    rsaBits === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: rsaBits });
  const privateKey = made.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const address = Buffer.from(host.split('.').map(Number));
  const altName = isIP(host) ? der(0x87, address) : der(0x82, Buffer.from(host));
  const extensions = [
    extension('551d11', sequence(altName)),
    extension('551d13', sequence(der(0x01, Buffer.from([0xff])))),
  ];
  const [from, to] = [Date.now() + beginsInDays * dayMs, Date.now() + days * dayMs];
  const contents = sequence(
    der(0xa0, number(Buffer.from([2]))),
    number(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(`rig ${issuer?.host ?? host}`),
    sequence(time(from), time(to)),
    nameOf(`rig ${host}`),
    made.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', contents, createPrivateKey(issuer?.key ?? privateKey));
  const whole = sequence(contents, ecdsaWithSha256, bits(signature)).toString('base64');
  const lines = whole.replaceAll(/.{1,64}/g, '$&\n');
  return { key: privateKey, cert: `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n` };
}
