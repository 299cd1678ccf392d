import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { z } from 'zod';

type Limits = { min: number; max: number; isWhole: boolean };

/** One check instead of a schema for each: a schema takes time at the start, and there are many numbers. */
const numberWithin = (limits: Limits) =>
  z.unknown().transform((value, context): number => {
    const number = Number(value);
    const problem = problemOf(number, limits);
    if (problem) context.addIssue(problem);
    return number;
  });

function problemOf(number: number, { min, max, isWhole }: Limits): string | undefined {
  if (!Number.isFinite(number)) return 'must be a number';
  if (isWhole && !Number.isSafeInteger(number)) return 'must be a whole number';
  if (number < min) return `must be at least ${min}`;
  return number > max ? `must be at most ${max}` : undefined;
}

export const wholeNumber = (min: number, max: number, byDefault: number) =>
  numberWithin({ min, max, isWhole: true }).default(byDefault);

export const partOfNumber = (max: number, byDefault: number) =>
  numberWithin({ min: 0, max, isWhole: false }).default(byDefault);

export const optionalPort = numberWithin({ min: 1, max: 65_535, isWhole: true }).optional();

export const oneOf = <const T extends string[]>(words: T, byDefault: T[number]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` }).default(byDefault as never);

export const httpUrl = z
  .string()
  .refine(isHttpUrl, { error: 'must be an http or https URL without a path' })
  .transform((url) => new URL(url).origin);

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

export const webAddress = z.string().refine(isWebAddress, { error: 'must be an http or https URL' });

export const releaseFolder = z
  .string()
  .refine((text) => text === 'none' || isWebAddress(text), {
    error: 'must be an http or https URL, or none',
  })
  .default('none');

const commaSeparated = z.string().transform((list) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

export const addressRanges = commaSeparated.refine((list) => list.every(isAddressRange), {
  error: 'must be IP addresses or CIDR ranges, separated by commas',
});

export const labelList = commaSeparated
  .refine((list) => list.every((each) => /^[A-Za-z0-9][\w.-]{0,62}(=[\w.-]{0,63})?$/.test(each)), {
    error: 'must be labels such as gpu or team=web, separated by commas',
  })
  .default([]);

export const platformList = commaSeparated
  .refine((list) => list.every((each) => /^linux\/[a-z0-9]{1,20}(\/v[0-9]{1,2})?$/.test(each)), {
    error: 'must be platforms such as linux/amd64, separated by commas',
  })
  .default([]);

export const nameServers = commaSeparated.refine(areNameServers, {
  error: 'must be IP addresses, with a port or without, separated by commas',
});

export const uidRange = z
  .string()
  .regex(/^\d{1,10}-\d{1,10}$/, { error: 'must be two numbers with a dash between them' })
  .transform((text) => {
    const [first, last] = text.split('-').map(Number) as [number, number];
    return { first, last };
  })
  .refine(({ first, last }) => first >= 1000 && last >= first && last <= 0xffff_fffd, {
    error: 'must begin at 1000 or above, and end above that',
  });

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.username && !url.search;
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (!family || rest.length) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function areNameServers(list: string[]): boolean {
  try {
    new Resolver().setServers(list);
    return list.length > 0;
  } catch {
    return false;
  }
}
