import { z } from 'zod';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { type OAuthTokens, tokenAnswer, tokenRefusal, tokensIn } from './oauth-answers.ts';
import { wantedScopes } from './oauth-client.ts';

/** A sign-in by a code that a person types elsewhere. `deviceCode` is a secret, and sealed while it is kept. */
export interface DeviceFlow {
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  expiresAt: number;
  /** How long to wait between two looks. It grows when the host says so. */
  intervalMs: number;
}

/** What a look at it gave. After `pending`, the next look is not before `intervalMs` have passed. */
export type DevicePoll =
  | { status: 'pending'; intervalMs: number }
  | { status: 'done'; tokens: OAuthTokens }
  | { status: 'expired' | 'denied' };

const begun = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(40),
  verification_uri: z.string(),
  expires_in: z.coerce.number().positive(),
  interval: z.coerce.number().nonnegative().optional(),
});

const usualIntervalMs = 5_000;
/** What the host adds when it was asked too soon. */
const slowDownMs = 5_000;
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

export async function beginDeviceFlow(
  client: GitHubClient,
  clientId: string,
  { signal, scopes = wantedScopes }: GitHostCallOptions & { scopes?: readonly string[] } = {},
): Promise<DeviceFlow> {
  const body = { client_id: clientId, scope: scopes.join(' ') };
  const call = { method: 'POST', at: 'web', path: '/login/device/code', credential: undefined, signal } as const;
  // Refusals come as 200, too.
  const answer = await client.json({ ...call, body }, z.union([begun, tokenAnswer]));
  if (!('device_code' in answer)) throw tokenRefusal(answer.error);
  const { webUrl } = client.addresses;
  // People type a code there: it is a page of the host itself, or the one where such a page is.
  const isOfHost = answer.verification_uri.startsWith(`${webUrl}/`);
  return {
    deviceCode: answer.device_code,
    userCode: answer.user_code,
    verificationUri: isOfHost ? answer.verification_uri : `${webUrl}/login/device`,
    expiresAt: Date.now() + answer.expires_in * 1000,
    intervalMs: answer.interval === undefined ? usualIntervalMs : answer.interval * 1000,
  };
}

/** One look. Whoever calls keeps to the interval. */
export async function pollDeviceFlow(
  client: GitHubClient,
  clientId: string,
  flow: Pick<DeviceFlow, 'deviceCode' | 'intervalMs' | 'expiresAt'>,
  { signal }: GitHostCallOptions = {},
): Promise<DevicePoll> {
  if (flow.expiresAt <= Date.now()) return { status: 'expired' };
  const body = { client_id: clientId, device_code: flow.deviceCode, grant_type: grantType };
  const call = { method: 'POST', at: 'web', path: '/login/oauth/access_token', credential: undefined, signal } as const;
  const answer = await client.json({ ...call, body }, tokenAnswer);
  const tokens = tokensIn(answer);
  if (tokens) return { status: 'done', tokens };
  switch (answer.error) {
    case 'authorization_pending':
      return { status: 'pending', intervalMs: flow.intervalMs };
    case 'slow_down':
      return { status: 'pending', intervalMs: Math.max((answer.interval ?? 0) * 1000, flow.intervalMs + slowDownMs) };
    case 'expired_token':
    case 'incorrect_device_code':
      return { status: 'expired' };
    case 'access_denied':
      return { status: 'denied' };
    default:
      throw tokenRefusal(answer.error);
  }
}
