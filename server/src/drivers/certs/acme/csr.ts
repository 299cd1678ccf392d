import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bits, integer, objectId, octets, sequence, set, tagged } from './der.ts';

const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));
const extensionRequest = objectId('1.2.840.113549.1.9.14');
const subjectAltName = objectId('2.5.29.17');

/** Returns a certificate request (PKCS #10, DER) with an elliptic-curve key. The subject stays empty: the names are
 * only in the SAN extension, which all clients read. */
export function certificateRequest(names: string[], privateKey: KeyObject): Buffer {
  const dnsNames = names.map((name) => tagged(2, Buffer.from(name, 'ascii'), { isBare: true }));
  const extensions = sequence(sequence(subjectAltName, octets(sequence(...dnsNames))));
  const contents = sequence(
    integer(0),
    sequence(),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    tagged(0, sequence(extensionRequest, set(extensions))),
  );
  return sequence(contents, ecdsaWithSha256, bits(sign('sha256', contents, privateKey)));
}
