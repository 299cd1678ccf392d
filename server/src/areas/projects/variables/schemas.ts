import { z } from '../../../lib/zod/index.ts';
import { timeField } from '../../../http/responses.ts';

export const maxVariables = 200;
const maxValueBytes = 32_768;
/** Linux limits arguments and environment of a process to about 2 MB. */
const maxTotalBytes = 1_000_000;

/** Set by the runtime; an app that overrides them would be unreachable. */
const reserved = new Set(['PORT', 'HOST']);

const key = z
  .string()
  .max(128, { error: 'must have at most 128 characters' })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be letters, digits and underscores, and not begin with a digit' })
  .refine((text) => !reserved.has(text), { error: 'is set by Mooring; choose another name' });

const value = z
  .string()
  // A lone surrogate cannot be stored as UTF-8.
  .refine((text) => text.isWellFormed(), { error: 'must be valid Unicode text' })
  .refine((text) => Buffer.byteLength(text) <= maxValueBytes, { error: 'must have at most 32 KB' });

const change = z.union(
  [
    value,
    z.null(),
    z.object({ value: value.optional(), secret: z.boolean().optional(), buildTime: z.boolean().optional() }),
  ],
  {
    error:
      'must be a string of at most 32 KB of valid Unicode text, null, or an object with value, secret and buildTime',
  },
);

/** Not as key schema of the record: its error message would be about "keys in record". */
function checkNames(variables: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const name of Object.keys(variables)) {
    const message = key.safeParse(name).error?.issues[0]?.message;
    if (message) context.addIssue({ code: 'custom', path: [name], message });
  }
}

export const VariablesBody = z.object({
  variables: z
    .record(z.string(), change)
    .superRefine(checkNames)
    .describe(
      'Variables by name: a string or object sets one, null removes it; variables that are not named are kept.',
    ),
});
export type VariableChanges = z.output<typeof VariablesBody>['variables'];

/** Variables that a request adds, with the same rules. */
export const AddedVariables = z
  .record(z.string(), value)
  .superRefine(checkNames)
  .refine((added) => Object.keys(added).length <= maxVariables, { error: `must have at most ${maxVariables} entries` });

/** Whether they fit into the environment of a process. */
export const fitInEnvironment = (variables: { key: string; value: string }[]): boolean =>
  variables.reduce((sum, { key: name, value: text }) => sum + name.length + Buffer.byteLength(text), 0) <=
  maxTotalBytes;

export const Variable = z
  .object({
    key: z.string(),
    value: z.string().nullable().describe('Null for a secret variable.'),
    secret: z.boolean(),
    buildTime: z.boolean(),
    updatedAt: timeField,
  })
  .meta({ id: 'Variable' });
