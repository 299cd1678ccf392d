import { z } from 'zod';

/** One resource: `{success: true, data}`. */
export const one = <T extends z.ZodType>(data: T) => z.object({ success: z.literal(true), data });

/** A whole list: `{success: true, data: [...]}`. */
export const list = <T extends z.ZodType>(item: T) => z.object({ success: z.literal(true), data: z.array(item) });

/** A page of a list; `nextCursor` is null on the last one. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({ success: z.literal(true), data: z.array(item), nextCursor: z.string().nullable() });

export const done = z.object({ success: z.literal(true) });

export const ok = <T>(data: T) => ({ success: true as const, data });
export const okPage = <T>(data: T[], nextCursor: string | null) => ({ success: true as const, data, nextCursor });
export const okDone = { success: true as const };

/** A time in a response. We generate it ourselves, so its format is documented but not validated. */
export const time = z.string().meta({ format: 'date-time' });

/** Formats milliseconds since 1970 for the API. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** Query parameters of paged lists. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(100).default(50).describe('Page size, 1 to 100.'),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous page.'),
};

/** A time in a query. */
export const timeQuery = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const idParams = z.object({ id: z.string().max(100) });
