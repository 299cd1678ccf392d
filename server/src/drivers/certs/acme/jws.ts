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

/** Key of an account. It signs every request; only its public part is ever sent. */
export class AccountKey {
  readonly #key: KeyObject;
  /** Members in the order that the thumbprint requires. */
  readonly publicJwk: PublicJwk;

  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { crv, kty, x, y } = createPublicKey(this.#key).export({ format: 'jwk' }) as PublicJwk;
    this.publicJwk = { crv, kty, x, y };
  }

  /** `payload` undefined: a POST-as-GET request. */
  sign(header: Record<string, unknown>, payload: object | undefined): Jws {
    const head = encoded({ alg: 'ES256', ...header });
    const body = payload === undefined ? '' : encoded(payload);
    const signature = sign('sha256', Buffer.from(`${head}.${body}`), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return { protected: head, payload: body, signature: encoded(signature) };
  }

  /** Returns the key authorization of a token. */
  answerTo(token: string): string {
    const thumbprint = createHash('sha256').update(JSON.stringify(this.publicJwk)).digest('base64url');
    return `${token}.${thumbprint}`;
  }
}

/** Binds our key to an existing account at the authority (external account binding). */
export function accountBinding(binding: { keyId: string; key: string }, url: string, publicJwk: object): Jws {
  const head = encoded({ alg: 'HS256', kid: binding.keyId, url });
  const body = encoded(publicJwk);
  const hmac = createHmac('sha256', Buffer.from(binding.key, 'base64url')).update(`${head}.${body}`);
  return { protected: head, payload: body, signature: hmac.digest('base64url') };
}
