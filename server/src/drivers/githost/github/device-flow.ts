import { z } from '../../../lib/zod/index.ts';
import type { GitHostCallOptions } from '../githost.ts';
import type { GitHubClient } from './client.ts';
import { type OAuthTokens, tokenAnswer, tokenRefusal, tokensIn } from './oauth-answers.ts';
import { wantedScopes } from './oauth-client.ts';

/** Started OAuth device flow. `deviceCode` is a secret and is stored sealed. */
export interface DeviceFlow {
  deviceCode: string;
  userCode: string;
  verificationUri: string;
  expiresAt: number;
  /** Minimum time between two polls. Grows when the host says `slow_down`. */
  intervalMs: number;
}

/** Result of a poll. After `pending`, wait at least `intervalMs` before the next one. */
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
/** Added to the interval after `slow_down` (RFC 8628, section 3.5). */
const slowDownMs = 5_000;
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

export async function beginDeviceFlow(
  client: GitHubClient,
  clientId: string,
  { signal, scopes = wantedScopes }: GitHostCallOptions & { scopes?: readonly string[] } = {},
): Promise<DeviceFlow> {
  const body = { client_id: clientId, scope: scopes.join(' ') };
  const call = { method: 'POST', at: 'web', path: '/login/device/code', credential: undefined, signal } as const;
  // Errors also have status 200.
  const answer = await client.json({ ...call, body }, z.union([begun, tokenAnswer]));
  if (!('device_code' in answer)) throw tokenRefusal(answer.error);
  const { webUrl } = client.addresses;
  // Users type the code on this page, so an address outside the host is replaced by the host's usual one.
  const isOfHost = answer.verification_uri.startsWith(`${webUrl}/`);
  return {
    deviceCode: answer.device_code,
    userCode: answer.user_code,
    verificationUri: isOfHost ? answer.verification_uri : `${webUrl}/login/device`,
    expiresAt: Date.now() + answer.expires_in * 1000,
    intervalMs: answer.interval === undefined ? usualIntervalMs : answer.interval * 1000,
  };
}

/** Polls once. The caller waits for the interval. */
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
