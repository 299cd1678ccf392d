import { z } from '../../../lib/zod/index.ts';
import { timeField } from '../../../http/responses.ts';

const hasNothingElse = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.username && !url.search;
};

export const LinkBody = z.object({
  url: z
    .string()
    .max(2000)
    .refine(hasNothingElse, { error: 'must be http:// or https:// and a host, with nothing after it' })
    .transform((text) => new URL(text).origin)
    .describe('Address of the cloud.'),
  token: z
    .string()
    .regex(/^mrg_pat_[A-Za-z0-9_-]{43}$/, { error: 'must be an access token: mrg_pat_ and 43 characters' })
    .describe('Your access token in the cloud. It is encrypted and never shown.'),
});
export type LinkBody = z.output<typeof LinkBody>;

export const CloudLink = z
  .object({
    linked: z.boolean(),
    from: z
      .enum(['organization', 'settings'])
      .nullable()
      .describe('Whether the link belongs to the organization or to the whole instance.'),
    url: z.string().nullable(),
    account: z.string().nullable().describe('Owner of the token.'),
    organization: z.object({ id: z.string(), name: z.string() }).nullable().describe('Organization in the cloud.'),
    reachable: z.boolean().nullable().describe('Whether the cloud responds and accepts the token.'),
    problem: z.string().nullable().describe('Why not.'),
    projects: z.number().describe('Number of projects of the organization in the cloud.'),
    linkedAt: timeField.nullable(),
  })
  .meta({ id: 'CloudLink' });
