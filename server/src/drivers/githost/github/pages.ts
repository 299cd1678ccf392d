import { z } from '../../../lib/zod/index.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { GitHostError } from '../errors.ts';
import type { GitHubCall } from './call.ts';
import type { GitHubClient } from './client.ts';

const perPage = 100;
const maxPages = 500;
const atOnce = 4;
/** For the whole list; each page also has its own deadline. */
const deadlineMs = 60_000;

/** Returns all items of a paginated list, in order. Fetches later pages concurrently when the first names the last one. */
export async function allPages<T>(
  client: GitHubClient,
  call: GitHubCall,
  item: z.ZodType<T>,
  within?: string,
): Promise<T[]> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = call.signal ? AbortSignal.any([call.signal, deadline]) : deadline;
  const shape: z.ZodType<T[]> = within
    ? z.object({ [within]: z.array(item) }).transform((page) => page[within] as T[])
    : z.array(item);
  try {
    return await collect(client, { ...call, signal }, shape);
  } catch (error) {
    call.signal?.throwIfAborted();
    throw deadline.aborted
      ? new GitHostError('unavailable', 'the git host took too long to return the whole list')
      : error;
  }
}

async function collect<T>(client: GitHubClient, call: GitHubCall, shape: z.ZodType<T[]>): Promise<T[]> {
  const page = async (path: string | URL, query: GitHubCall['query'] = {}) => {
    const { value, link } = await client.page({ ...call, path, query }, shape);
    return { items: value, links: parseLinkHeader(link) };
  };
  const numbered = (number?: number) => page(call.path, { ...call.query, per_page: perPage, page: number });
  const first = await numbered();
  const limit = limitConcurrency(atOnce);
  const later = await Promise.all(laterPages(first.links).map((number) => limit(() => numbered(number))));
  const pages = [first, ...later];
  // Covers pages added in the meantime, and hosts that do not name the last page.
  for (let next = pages.at(-1)!.links.next; next; next = pages.at(-1)!.links.next) {
    if (pages.length >= maxPages) throw tooMany();
    pages.push(await page(next));
  }
  return pages.flatMap(({ items }) => items);
}

type Links = Partial<Record<string, URL>>;

/** Parses a `Link` header: `<https://...?page=2>; rel="next", ...`. */
export function parseLinkHeader(header = ''): Links {
  const found = [...header.matchAll(/<([^<>]*)>; *rel="?(\w+)/g)];
  return Object.fromEntries(
    found.flatMap(([, address, rel]) => (URL.canParse(address!) ? [[rel!, new URL(address!)]] : [])),
  );
}

function laterPages({ next, last }: Links): number[] {
  const count = Number(last?.searchParams.get('page'));
  if (!next || !Number.isSafeInteger(count) || next.searchParams.get('page') !== '2') return [];
  if (count > maxPages) throw tooMany();
  return Array.from({ length: Math.max(0, count - 1) }, (_, i) => i + 2);
}

const tooMany = () => new GitHostError('invalid', `the git host has more than ${maxPages * perPage} entries`);
