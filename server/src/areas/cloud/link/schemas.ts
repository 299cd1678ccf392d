import { z } from 'zod';
import { time } from '../../../http/answers.ts';

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
    .describe('Where the cloud is.'),
  token: z
    .string()
    .regex(/^mrg_pat_[A-Za-z0-9_-]{43}$/, { error: 'must be an access token: mrg_pat_ and 43 characters' })
    .describe('An access token of yours there. It is kept sealed and never shown.'),
});
export type LinkBody = z.output<typeof LinkBody>;

export const CloudLink = z
  .object({
    linked: z.boolean(),
    from: z
      .enum(['organization', 'settings'])
      .nullable()
      .describe('Whose link it is: one of the organization, or that of the whole instance.'),
    url: z.string().nullable(),
    account: z.string().nullable().describe('Whose token it is.'),
    organization: z.object({ id: z.string(), name: z.string() }).nullable().describe('Where it acts there.'),
    reachable: z.boolean().nullable().describe('Whether the cloud has just answered and takes the token.'),
    problem: z.string().nullable().describe('Why not.'),
    projects: z.number().describe('How many projects of the organization live there.'),
    linkedAt: time.nullable(),
  })
  .meta({ id: 'CloudLink' });
