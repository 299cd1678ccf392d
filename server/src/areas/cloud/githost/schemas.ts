import { z } from '../../../lib/zod/index.ts';
import { itemResponse, timeField } from '../../../http/responses.ts';
import { hasControl } from '../../../lib/control-characters.ts';

const id = z.number().int().positive();
/** Databases store no NUL, and names have no control characters. */
const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((given) => !hasControl(given), { error: 'must be plain text' });
const name = text(400).min(1);
const account = z.object({ id, login: name, type: z.enum(['user', 'organization']) });

export const ConnectForLinkedBody = z.object({
  source: z
    .enum(['app', 'oauth'])
    .describe('`app` installs the app first; `oauth` only shows where it is installed already.'),
  returnUrl: z
    .string()
    .max(2000)
    .refine(isReturnUrl, { error: 'must be an http:// or https:// address without credentials' })
    .transform((text) => new URL(text).href)
    .describe('Address that the browser returns to.'),
});

export const ConnectForLinkedAnswer = z.object({ url: z.url({ protocol: /^https?$/ }).max(4000) });

export const LentOverviewAnswer = itemResponse(
  z.object({
    host: text(2000).describe('Address of the git host.'),
    installUrl: z
      .url({ protocol: /^https?$/ })
      .max(4000)
      .nullable(),
    installations: z.array(z.object({ id, account, suspendedAt: timeField.nullable() })).max(1000),
  }),
);

export const TokenParams = z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) });
export const LentTokenBody = z.object({
  repositories: z
    .array(z.string().regex(/^[\w.-]{1,100}$/, { error: 'must be the name of a repository' }))
    .min(1)
    .max(100)
    .optional()
    .describe('Names without the owner. Default: all repositories that the app can access.'),
  permissions: z
    .record(z.string().regex(/^[a-z_]{1,50}$/), z.enum(['read', 'write', 'admin']))
    .refine((given) => Object.keys(given).length > 0, { error: 'must name one' })
    .optional()
    .describe('Anything above `read`, and leaving it out, needs `githost:admin`.'),
});
export const LentTokenAnswer = itemResponse(
  z.object({ token: z.string().regex(/^[\x21-\x7e]{1,2000}$/), expiresAt: timeField }),
);

const repository = z.object({ id, owner: name, name, defaultBranch: name.optional() });
const installation = z.object({ id, account });
const sha = z
  .string()
  .regex(/^[0-9a-f]{1,100}$/)
  .nullable();
/** Longer than the cloud's limit for queued content. */
const longestMessage = 70_000;
const mostFiles = 3000;

/** Events that are forwarded. */
export const HandedEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('push'),
    repository,
    installationId: id.nullable(),
    ref: z.object({ kind: z.enum(['branch', 'tag']), name: text(1000) }),
    commitSha: sha,
    beforeSha: sha,
    message: z.string().max(longestMessage).transform(storable),
    pusher: name.or(z.literal('')),
    changedFiles: z.array(z.string().max(5000).transform(storable)).max(mostFiles),
    hasAllFiles: z.boolean(),
    isDeleted: z.boolean(),
    isForced: z.boolean(),
  }),
  z.object({
    type: z.literal('installation'),
    action: z.enum(['created', 'deleted', 'suspended', 'resumed', 'renamed', 'changed']),
    installation,
  }),
  z.object({
    type: z.literal('repositories'),
    installation,
    added: z.array(repository).max(mostFiles),
    removed: z.array(repository).max(mostFiles),
  }),
]);

const Handed = z.object({
  id: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .describe('Delivery id of the git host.'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe('SHA-256 of the body.'),
  event: z.record(z.string(), z.unknown()).describe('`push`, `installation` or `repositories`, by its `type`.'),
  receivedAt: timeField,
});

/** A delivery with a validated event. */
export const HandedDelivery = Handed.extend({ event: HandedEvent });

export const DeliveriesQuery = z.object({
  after: z.string().max(100).optional().describe('`next` of the previous response. Without it, only new deliveries.'),
  wait: z.coerce.number().int().min(0).max(25).default(25).describe('How many seconds to wait for a delivery.'),
});

export const DeliveriesAnswer = z.object({
  success: z.literal(true),
  data: z.array(Handed).max(1000),
  next: text(100),
  missed: z.boolean().describe('Earlier deliveries are gone: check all repositories yourself.'),
});

/** Commit messages and file names may contain anything. */
function storable(given: string): string {
  return given.toWellFormed().replaceAll('\0', '');
}

function isReturnUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}
