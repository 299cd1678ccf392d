import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { derBits, derInteger, derObjectId, derOctets, derSequence, derSet, derTagged } from './der.ts';

const ecdsaWithSha256 = derSequence(derObjectId('1.2.840.10045.4.3.2'));
const extensionRequest = derObjectId('1.2.840.113549.1.9.14');
const subjectAltName = derObjectId('2.5.29.17');

/** Returns a certificate request (PKCS #10, DER) with an elliptic-curve key. The subject stays empty: the names are
 * only in the SAN extension, which all clients read. */
export function certificateRequest(names: string[], privateKey: KeyObject): Buffer {
  const dnsNames = names.map((name) => derTagged(2, Buffer.from(name, 'ascii'), { isBare: true }));
  const extensions = derSequence(derSequence(subjectAltName, derOctets(derSequence(...dnsNames))));
  const contents = derSequence(
    derInteger(0),
    derSequence(),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    derTagged(0, derSequence(extensionRequest, derSet(extensions))),
  );
  return derSequence(contents, ecdsaWithSha256, derBits(sign('sha256', contents, privateKey)));
}
