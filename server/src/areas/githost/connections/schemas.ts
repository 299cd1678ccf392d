import { z } from '../../../lib/zod/index.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import type { ConnectAnswer } from './connect.ts';
import type { DeviceStatus } from './device.ts';
import { type ReachedAccount, connectionStates } from './status.ts';

const kinds = ['app', 'oauth', 'cli'] as const;

export const connectionStateSchema = z
  .enum(connectionStates)
  .describe(
    '`connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app is suspended at the git host. `signed_out`: the git host rejects the credentials; connect again. `unavailable`: the git host does not respond.',
  );

export const GitHostAccount = z
  .object({
    id: z.number(),
    login: z.string(),
    type: z.enum(['user', 'organization']),
    avatarUrl: z.string().nullable(),
    webUrl: z.string(),
    source: z.enum(kinds).describe('How Mooring accesses it: the app, a connected account, or the sign-in of `gh`.'),
    sources: z.array(z.enum(kinds)).describe('All ways to access it; the first one is used.'),
  })
  .meta({ id: 'GitHostAccount' });

export const presentAccount = (account: ReachedAccount): z.input<typeof GitHostAccount> => ({
  ...account,
  source: account.sources[0]!,
});

export const StatusAnswer = z.object({
  state: connectionStateSchema,
  accounts: z.array(GitHostAccount),
  installUrl: z.string().nullable().describe('Address to install the app for more accounts; null without an app.'),
  cloudUnreachable: z.boolean().describe('Whether connecting needs the linked cloud, which does not respond.'),
});

export const LocalStatusAnswer = z.object({
  available: z.boolean().describe('Whether the gh sign-in of this machine can be used.'),
  installed: z.boolean(),
  signedIn: z.boolean(),
  version: z.string().nullable(),
  hostname: z.string().nullable().describe('Git host of the sign-in.'),
});

export const PollAnswer = z.object({
  status: z
    .enum(['none', 'pending', 'connected', 'expired', 'denied'])
    .describe('Status of the latest device login of the caller; `none` if there is none.'),
  userCode: z.string().optional(),
  verificationUri: z.string().optional(),
  expiresAt: timeField.optional(),
  intervalSeconds: z.number().optional().describe('How long to wait before the next poll.'),
});

export function presentPoll(found: DeviceStatus): z.input<typeof PollAnswer> {
  if (found.status !== 'pending') return found;
  const { expiresAt, intervalMs, ...rest } = found;
  return { ...rest, expiresAt: isoTime(expiresAt), intervalSeconds: seconds(intervalMs) };
}

export const ConnectBody = z.object({
  source: z
    .enum(['oauth', 'cli', 'app'])
    .optional()
    .describe('Forces a method; otherwise the server picks one. `app` installs the app for another account.'),
});

export const ConnectResult = z
  .union([
    z.object({ connected: z.literal(true) }),
    z.object({
      connected: z.literal(false),
      flow: z.literal('redirect'),
      url: z.string().describe('Open it in a browser.'),
    }),
    z.object({
      connected: z.literal(false),
      flow: z.literal('device_code'),
      userCode: z.string().describe('Enter it at `verificationUri`.'),
      verificationUri: z.string(),
      expiresAt: timeField,
      intervalSeconds: z.number().describe('Seconds between two calls of connect/poll.'),
    }),
    z.object({
      connected: z.literal(false),
      flow: z.literal('terminal'),
      command: z.string().describe('Run it in a terminal on the machine that runs Mooring.'),
      message: z.string(),
    }),
  ])
  .meta({ id: 'GitHostConnect' });

export function presentConnect(answer: ConnectAnswer): z.input<typeof ConnectResult> {
  if (answer.connected || answer.flow !== 'device_code') return answer;
  const { expiresAt, intervalMs, ...rest } = answer;
  return { ...rest, expiresAt: isoTime(expiresAt), intervalSeconds: seconds(intervalMs) };
}

/** Accepts anything, since every request is answered with a page. */
export const CallbackQuery = z.object({
  state: z.unknown().optional().describe('State of the sign-in that began here.'),
  code: z.unknown().optional().describe('Authorization code of the git host.'),
  error: z.unknown().optional(),
  setup_action: z.unknown().optional(),
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

const scope = z.enum(['oauth', 'cli', 'all']).describe('What to disconnect; default `all`.');
export const DisconnectInput = z.object({ source: scope.optional() });

export const DisconnectResult = z.object({
  success: z.literal(true),
  data: z.object({
    sources: z.array(z.enum(kinds)).describe('What was disconnected.'),
    warnings: z
      .array(z.string())
      .describe('What could not be revoked at the git host. Mooring has deleted it in any case.'),
  }),
});
