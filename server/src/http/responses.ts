import { z } from '../lib/zod/index.ts';

/** One resource: `{success: true, data}`. */
export const itemResponse = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

/** A whole list: `{success: true, data: [...]}`. */
export const listResponse = <T extends z.ZodType>(item: T) =>
  z.object({ success: z.literal(true), data: z.array(item) });

/** A page of a list; `nextCursor` is null on the last one. */
export const pageResponse = <T extends z.ZodType>(item: T) =>
  z.object({ success: z.literal(true), data: z.array(item), nextCursor: z.string().nullable() });

export const emptyResponse = z.object({ success: z.literal(true) });

export const okItem = <T>(data: T) => ({ success: true as const, data });
export const okPage = <T>(data: T[], nextCursor: string | null) => ({ success: true as const, data, nextCursor });
export const okDone = { success: true as const };

/** A time in a response. We generate it ourselves, so its format is documented but not validated. */
export const timeField = z.string().meta({ format: 'date-time' });

const dayMs = 86_400_000;
let lastDay = { number: NaN, text: '' };
const padded = (value: number, digits: number) => String(value).padStart(digits, '0');
const twoDigits = Array.from({ length: 60 }, (_, value) => padded(value, 2));

/** Formats milliseconds since 1970 for the API. The date of most times in a list is that of the previous one. */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / dayMs);
  if (!Number.isInteger(ms)) return new Date(ms).toISOString();
  if (day !== lastDay.number) lastDay = { number: day, text: new Date(ms).toISOString().slice(0, -13) };
  const inDay = ms - day * dayMs;
  const [hours, minutes] = [Math.floor(inDay / 3_600_000), Math.floor(inDay / 60_000) % 60];
  const seconds = Math.floor(inDay / 1000) % 60;
  return `${lastDay.text}${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[seconds]}.${padded(inDay % 1000, 3)}Z`;
}
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** Query parameters of paged lists. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('Page size, 1 to 100.'),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous page.'),
};

/** A time in a query. */
export const timeQuery = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const idParams = z.object({ id: z.string().max(100) });
