import { createHash } from 'node:crypto';

/** Credential of a request. */
export interface GitHubCredential {
  header: string;
  secret: string;
  /** Non-secret key for caches and rate limits. */
  owner: string;
}

export const bearer = (token: string): GitHubCredential => ({
  header: `Bearer ${token}`,
  secret: token,
  owner: credentialKey(token),
});

export const basic = (user: string, password: string): GitHubCredential => ({
  header: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  secret: password,
  owner: credentialKey(`${user}:${password}`),
});

/** Hashes a secret, or a call without a credential, into a key for caches and rate limits. */
export const credentialKey = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
