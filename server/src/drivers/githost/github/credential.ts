import { createHash } from 'node:crypto';

/** What a request proves itself with. */
export interface GitHubCredential {
  header: string;
  secret: string;
  /** Names whoever it belongs to, without telling what it is. */
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

/** Stands for a secret, or for a call that has none of its own: limits are those of whoever it names. */
export const credentialKey = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
