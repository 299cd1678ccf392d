import { z } from 'zod';
import { time } from '../../../http/answers.ts';

export const maxVariables = 200;
const maxValueBytes = 32_768;

/** The runtime gives these to every app; a project that set them would be looked for in the wrong place. */
const reserved = new Set(['PORT', 'HOST']);

const key = z
  .string()
  .max(128, { error: 'must have at most 128 characters' })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be letters, digits and underscores, and not begin with a digit' })
  .refine((text) => !reserved.has(text), { error: 'is set by Mooring; choose another name' });

const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= maxValueBytes, { error: 'must have at most 32 KB' });

const change = z.union(
  [
    value,
    z.null(),
    z.object({ value: value.optional(), secret: z.boolean().optional(), buildTime: z.boolean().optional() }),
  ],
  { error: 'must be a string of at most 32 KB, null, or an object with value, secret and buildTime' },
);

export const VariablesBody = z.object({
  variables: z
    .record(z.string(), change)
    .superRefine((variables, context) => {
      // Here and not as the type of the key: there the library gives a sentence about "keys in record".
      for (const name of Object.keys(variables)) {
        const message = key.safeParse(name).error?.issues[0]?.message;
        if (message) context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .describe('By name: a string or an object sets, null removes, what is not named stays.'),
});
export type VariableChanges = z.output<typeof VariablesBody>['variables'];

export const Variable = z
  .object({
    key: z.string(),
    value: z.string().nullable().describe('Null for a secret one: it is never shown.'),
    secret: z.boolean(),
    buildTime: z.boolean(),
    updatedAt: time,
  })
  .meta({ id: 'Variable' });
