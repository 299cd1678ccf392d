// Field types of engine responses. A missing field counts as empty.
import { z } from '../../../../lib/zod/index.ts';

/** Docker-compatible engines use numbers in some places. */
export const textAnswer = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .transform((value) => value ?? '');
export const flagAnswer = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const numberAnswer = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);
export const textsAnswer = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
/** Some engines write a single word without an array. */
export const wordsAnswer = z
  .union([z.array(z.string()), z.string().transform((word) => (word ? [word] : []))])
  .nullish()
  .transform((value) => value ?? null);
export const pairsAnswer = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
export const keysAnswer = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => Object.keys(value ?? {}));
export const optionalAnswer = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);
export const listAnswer = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
