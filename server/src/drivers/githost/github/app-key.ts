import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { GitHubCredential } from './credential.ts';

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs the short-lived JWT that authenticates the app itself. */
export class AppKey {
  readonly #id: string;
  readonly #key: KeyObject;

  /** Takes the key as PEM. A single-line environment variable may contain a literal `\n` for each line break. */
  constructor(appId: string, privateKey: string) {
    this.#id = appId;
    try {
      this.#key = createPrivateKey(privateKey.replaceAll(String.raw`\n`, '\n'));
    } catch {
      // The library's error message may quote the key.
      throw new Error("the app's private key cannot be read; it begins with -----BEGIN");
    }
    if (this.#key.asymmetricKeyType !== 'rsa') throw new Error("the app's private key is not an RSA key");
  }

  /** `now` is the host's time: GitHub accepts at most ten minutes and rejects an `iat` in its future. */
  credential(now: number): GitHubCredential {
    const seconds = Math.floor(now / 1000);
    const claims = { iat: seconds - 60, exp: seconds + 480, iss: this.#id };
    const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
    const secret = `${signed}.${sign('sha256', Buffer.from(signed), this.#key).toString('base64url')}`;
    return { header: `Bearer ${secret}`, secret, owner: `app ${this.#id}` };
  }
}
