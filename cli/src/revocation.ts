import { ApiError, unwrap } from '@mooring/client';
import type { Login } from './login-file.ts';
import { clientOf } from './instance.ts';

/** Revokes the token of a login with that token itself. False if it was pasted or is already revoked. */
export async function revokeTokenOf({ url, token, tokenId }: Login): Promise<boolean> {
  if (!tokenId) return false;
  try {
    await unwrap(clientOf({ url, token }).DELETE('/api/tokens/{id}', { params: { path: { id: tokenId } } }));
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return false;
    throw error;
  }
}
