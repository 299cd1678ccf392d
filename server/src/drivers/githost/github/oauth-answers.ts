import { z } from '../../../lib/zod/index.ts';
import { GitHostError } from '../errors.ts';

/** OAuth tokens of an account. Stored sealed. */
export interface OAuthTokens {
  accessToken: string;
  refreshToken: string | null;
  /** Null: does not expire. */
  expiresAt: number | null;
  refreshExpiresAt: number | null;
  scopes: string[];
}

/** Token response. Its status is 200 even for errors; `error` tells them apart. */
export const tokenAnswer = z.object({
  access_token: z.string().min(1).optional(),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().optional(),
  refresh_token_expires_in: z.coerce.number().optional(),
  scope: z.string().optional(),
  error: z.string().optional(),
  interval: z.coerce.number().optional(),
});
export type OAuthTokenAnswer = z.infer<typeof tokenAnswer>;

/** Returns the tokens of a response, or undefined if it has none. */
export function tokensIn(answer: OAuthTokenAnswer, now = Date.now()): OAuthTokens | undefined {
  if (answer.access_token === undefined || answer.error !== undefined) return undefined;
  const after = (seconds: number | undefined) => (seconds && seconds > 0 ? now + seconds * 1000 : null);
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    expiresAt: after(answer.expires_in),
    refreshExpiresAt: after(answer.refresh_token_expires_in),
    scopes: (answer.scope ?? '').split(/[,\s]+/).filter(Boolean),
  };
}

/** Maps the `error` of a token response to a GitHostError. */
export function tokenRefusal(error: string | undefined): GitHostError {
  switch (error) {
    case 'bad_verification_code':
      return new GitHostError('unauthorized', 'the sign-in code is wrong or has expired; start again');
    case 'bad_refresh_token':
      return new GitHostError('unauthorized', 'the connection to the git host has expired; connect it again');
    case 'incorrect_client_credentials':
    case 'redirect_uri_mismatch':
    case 'unauthorized_client':
    case 'unsupported_grant_type':
    case 'device_flow_disabled':
      return new GitHostError('invalid', `the git host rejects the OAuth client (${error})`);
    default:
      return new GitHostError('unavailable', 'the git host returned neither a token nor a known error');
  }
}
