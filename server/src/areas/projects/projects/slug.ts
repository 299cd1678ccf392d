/** Names below the base domain that could pass as Mooring's own. */
const reserved = new Set(
  (
    'www api app apps admin administrator root mooring localhost edge console dashboard status docs help support ' +
    'auth login signin account accounts billing mail smtp imap pop webmail ftp ns ns1 ns2 dns mx static assets cdn ' +
    'blog internal wpad isatap autodiscover autoconfig registry git webhook webhooks xn'
  ).split(' '),
);

export const maxSlugLength = 48;

/** Whether it is a DNS label of letters, digits and single dashes between them. */
export const isSlug = (text: string): boolean => text.length <= maxSlugLength && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text);

export const isReservedSlug = (slug: string): boolean => reserved.has(slug);

/** Returns the slug of a name, whether or not it is free. */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return trimmed(plain.slice(0, maxSlugLength + 1)) || 'project';
}

/** Leaves room for a numeric suffix. */
export const stemOf = (slug: string): string => trimmed(slug.slice(0, maxSlugLength - 7));

/** Returns the slug if it is free, else with the smallest free number. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  const isFree = (each: string) => !taken.has(each) && !reserved.has(each);
  if (isFree(slug)) return slug;
  let number = 2;
  while (!isFree(`${stemOf(slug)}-${number}`)) number++;
  return `${stemOf(slug)}-${number}`;
}

const trimmed = (text: string): string => text.slice(0, maxSlugLength).replaceAll(/^-+|-+$/g, '');
