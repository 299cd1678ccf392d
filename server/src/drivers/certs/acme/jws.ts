import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

const encoded = (value: object | string | Buffer): string =>
  Buffer.from(Buffer.isBuffer(value) || typeof value === 'string' ? value : JSON.stringify(value)).toString(
    'base64url',
  );

export interface Jws {
  protected: string;
  payload: string;
  signature: string;
}

type PublicJwk = { crv: string; kty: string; x: string; y: string };

/** The key that an account is known by. It signs every request; only its public half is ever sent. */
export class AccountKey {
  readonly #key: KeyObject;
  /** Its members in the order that the fingerprint needs. */
  readonly publicJwk: PublicJwk;

  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: 'jwk' }) as PublicJwk;
    this.publicJwk = { crv, kty, x, y };
  }

  /** `payload` undefined: the request only reads. */
  sign(header: Record<string, unknown>, payload: object | undefined): Jws {
    const head = encoded({ alg: 'ES256', ...header });
    const body = payload === undefined ? '' : encoded(payload);
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return { protected: head, payload: body, signature: encoded(signature) };
  }

  /** What has to be answered for a token: who can place it there has our key and the name. */
  answerTo(token: string): string {
    const thumbprint = createHash('sha256').update(JSON.stringify(this.publicJwk)).digest('base64url');
    return `${token}.${thumbprint}`;
  }
}

/** Binds our key to an account that somebody has at the authority already (external account binding). */
export function accountBinding(binding: { keyId: string; key: string }, url: string, publicJwk: object): Jws {
  const head = encoded({ alg: 'HS256', kid: binding.keyId, url });
  const body = encoded(publicJwk);
  const hmac = createHmac('sha256', Buffer.from(binding.key, 'base64url')).update(`${head}.${body}`);
  return { protected: head, payload: body, signature: hmac.digest('base64url') };
}
