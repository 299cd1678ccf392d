import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A git host in its own process, with an account of 2,000 repositories. Their descriptions are as long as GitHub's.

const [count, perPage] = [2000, 100];
const filler = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [
    `of_no_interest_${i}_url`,
    `https://host.example.com/repos/octo/r/${'x'.repeat(30)}{/id}`,
  ]),
);
const repository = (id: number) => ({
  ...filler,
  id,
  name: `repository-${id}`,
  owner: { ...filler, login: 'octo', id: 1 },
  private: id % 2 === 0,
  archived: false,
  default_branch: 'main',
  description: `The repository of number ${id}`,
  pushed_at: '2026-01-01T00:00:00Z',
  permissions: { admin: true, push: true, pull: true },
});
const pages = Array.from({ length: count / perPage }, (_, page) => {
  const text = JSON.stringify(Array.from({ length: perPage }, (_each, i) => repository(page * perPage + i)));
  return { text, etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"` };
});

const server = createServer(({ url, headers }, response) => {
  const { pathname, searchParams, origin } = new URL(url!, `http://${headers.host}`);
  if (!pathname.endsWith('/user/repos'))
    return void response.end(pathname.endsWith('/user') ? '{"id":1,"login":"octo"}' : '[]');
  const number = Number(searchParams.get('page') ?? 1);
  const { text, etag } = pages[number - 1]!;
  const at = (page: number) => `${origin}${pathname}?per_page=${perPage}&page=${page}`;
  const next = number < pages.length ? `<${at(number + 1)}>; rel="next", <${at(pages.length)}>; rel="last"` : '';
  response.setHeader('etag', etag).setHeader('content-type', 'application/json');
  if (next) response.setHeader('link', next);
  if (headers['if-none-match'] === etag) return void response.writeHead(304).end();
  return void response.end(text);
}).listen(0, '127.0.0.1', () => {
  console.log(`at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
