import { z } from 'zod';
import { isoTime, time } from '../../../http/answers.ts';
import type { ConnectAnswer } from './connect.ts';
import type { DeviceStatus } from './device.ts';
import { type ReachedAccount, states } from './status.ts';

const kinds = ['app', 'oauth', 'cli'] as const;

export const state = z
  .enum(states)
  .describe(
    '`connected`: a source works. `disconnected`: nobody has connected one. `suspended`: the app sleeps at the git host. `signed_out`: the git host does not accept the connection any more; connect again. `unavailable`: the git host does not answer now.',
  );

export const GitHostAccount = z
  .object({
    id: z.number(),
    login: z.string(),
    type: z.enum(['user', 'organization']),
    avatarUrl: z.string().nullable(),
    webUrl: z.string(),
    source: z.enum(kinds).describe('By what it is reached: the app, a connected account, or the sign-in of `gh`.'),
    sources: z.array(z.enum(kinds)).describe('Everything by which it is reached; the first one is used.'),
  })
  .meta({ id: 'GitHostAccount' });

export const presentAccount = (account: ReachedAccount): z.input<typeof GitHostAccount> => ({
  ...account,
  source: account.sources[0]!,
});

export const StatusAnswer = z.object({
  state,
  accounts: z.array(GitHostAccount),
  installUrl: z.string().nullable().describe('Where the app is installed for further accounts; null without an app.'),
  cloudUnreachable: z
    .boolean()
    .describe('Whether the cloud that this instance is linked to is needed to connect, and does not answer.'),
});

export const LocalStatusAnswer = z.object({
  available: z.boolean().describe('Whether the sign-in of the host’s program on this machine can be used.'),
  installed: z.boolean(),
  signedIn: z.boolean(),
  version: z.string().nullable(),
  hostname: z.string().nullable().describe('The git host that it would be signed in at.'),
});

export const PollAnswer = z.object({
  status: z
    .enum(['none', 'pending', 'connected', 'expired', 'denied'])
    .describe('Of the newest sign-in by a code that the caller has begun; `none` if there is none.'),
  userCode: z.string().optional(),
  verificationUri: z.string().optional(),
  expiresAt: time.optional(),
  intervalSeconds: z.number().optional().describe('How long to wait before asking again.'),
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
    .describe(
      'Forces a way; otherwise the server picks one. `app` installs the app for a further account, also when something is connected already.',
    ),
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
      userCode: z.string().describe('Type it at `verificationUri`.'),
      verificationUri: z.string(),
      expiresAt: time,
      intervalSeconds: z.number().describe('How long to wait between two calls of connect/poll.'),
    }),
    z.object({
      connected: z.literal(false),
      flow: z.literal('terminal'),
      command: z.string().describe('For a terminal of the machine that Mooring runs on.'),
      message: z.string(),
    }),
  ])
  .meta({ id: 'GitHostConnect' });

export function presentConnect(answer: ConnectAnswer): z.input<typeof ConnectResult> {
  if (answer.connected || answer.flow !== 'device_code') return answer;
  const { expiresAt, intervalMs, ...rest } = answer;
  return { ...rest, expiresAt: isoTime(expiresAt), intervalSeconds: seconds(intervalMs) };
}

/** Whatever comes is answered with a page, so nothing is refused here. */
export const CallbackQuery = z.object({
  state: z.unknown().optional().describe('What was sent along when it began.'),
  code: z.unknown().optional().describe('What the sign-in is shown by.'),
  error: z.unknown().optional(),
  setup_action: z.unknown().optional(),
});

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1000));

const scope = z.enum(['oauth', 'cli', 'all']).describe('What is disconnected; `all` if nothing is said.');
export const DisconnectInput = z.object({ source: scope.optional() });

export const DisconnectResult = z.object({
  success: z.literal(true),
  data: z.object({
    sources: z.array(z.enum(kinds)).describe('What was connected and is not any more.'),
    warnings: z.array(z.string()).describe('What could not be ended at the git host; here it is gone all the same.'),
  }),
});
