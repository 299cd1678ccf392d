import type { z } from '../lib/zod/index.ts';
import { AppError, badRequest, type FieldError } from '../errors.ts';

/** Validates one part of a request. Errors name the field in a message for people. */
export function parseInput(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => fieldError(issue, value));
  throw new AppError('bad_request', details[0]!.message, { details });
}

/** Describes what is wrong with a field, for people. */
export function fieldError(issue: z.core.$ZodIssue, value: unknown): FieldError {
  const field = issue.path.map(String).join('.') || 'body';
  if (issue.code === 'unrecognized_keys') return { field, message: `${field}: unknown field ${issue.keys.join(', ')}` };
  if (issue.code === 'invalid_type' && at(value, issue.path) === undefined)
    return { field, message: `${field} is required` };
  return { field, message: `${field} ${wording(issue)}` };
}

/** Our own messages continue after the field's name; the library's are rephrased. */
const isOurs = (message: string) => /^(must|is|cannot|has)\b/.test(message);

function wording(issue: z.core.$ZodIssue): string {
  if (isOurs(issue.message)) return issue.message;
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `must ${sizeOf(issue.origin, 'at most', Number(issue.maximum))}`;
  if (issue.code === 'too_small')
    return issue.origin === 'string' && issue.minimum === 1
      ? 'must not be empty'
      : `must ${sizeOf(issue.origin, 'at least', Number(issue.minimum))}`;
  if (issue.code === 'invalid_format') return `must be a valid ${issue.format}`;
  return `is not valid: ${issue.message}`;
}

function sizeOf(origin: string, bound: string, size: number): string {
  if (origin === 'string') return `have ${bound} ${size} ${size === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`;
  return `be ${bound} ${size}`;
}

/** The library calls objects with any fields records. */
const withArticle = (type: string) =>
  type === 'record' ? 'an object' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

const at = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<PropertyKey, unknown> | undefined | null)?.[key], value);

/** NUL is valid in JSON and URLs but not in PostgreSQL's text, nor in any of our fields. */
export function refuseNul(value: unknown): void {
  const field = fieldWithNul(value, '');
  if (field === undefined) return;
  const named = field || 'body';
  throw badRequest(`${named} must not have NUL characters`, named);
}

/** Returns the field that contains one in its value or name. */
function fieldWithNul(value: unknown, field: string): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? field : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = key.includes('\0') ? field : fieldWithNul(inner, field ? `${field}.${key}` : key);
    if (found !== undefined) return found;
  }
  return undefined;
}
