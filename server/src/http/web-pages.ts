import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

type PageFile = { type: string; etag: string; content: Buffer | undefined; gzipped: Buffer | undefined };

/** The dashboard's files by URL path. Read once, when first called: no request can reach another file, and a new build
 * beside a running service changes nothing. */
export type WebPages = () => Map<string, PageFile>;

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

export function findWebPages(folder: string): WebPages {
  let pages: ReturnType<WebPages> | undefined;
  return () => (pages ??= readPages(folder));
}

function readPages(folder: string): ReturnType<WebPages> {
  const pages: ReturnType<WebPages> = new Map();
  if (!existsSync(folder)) return pages;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (entry.isFile() && type) pages.set(`/${relative(folder, path).split(sep).join('/')}`, pageFile(path, type));
  }
  return pages;
}

/** Reads only the compressed file where there is one: nearly all clients accept it. */
function pageFile(path: string, type: string): PageFile {
  const gzipped = existsSync(`${path}.gz`) ? readFileSync(`${path}.gz`) : undefined;
  const content = gzipped ? undefined : readFileSync(path);
  const etag = `"${hash('sha256', (gzipped ?? content)!, 'base64url').slice(0, 22)}"`;
  return { type, etag, content, gzipped };
}

/** Unknown API paths are JSON 404s; every other path that a browser opens is the dashboard, which routes on the
 * client. */
export function notFoundOrPage(pages: WebPages, request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0]!;
  const file = pageAt(pages, path, request);
  if (file) return sendFile(file, path.startsWith('/assets/'), request, reply);
  return reply
    .code(404)
    .send(new AppError('not_found', `there is no route ${request.method} ${path.slice(0, 200)}`).body());
}

function pageAt(pages: WebPages, path: string, { method, headers }: FastifyRequest): PageFile | undefined {
  if (path === '/api' || path.startsWith('/api/') || !(method === 'GET' || method === 'HEAD')) return undefined;
  const opensPage = path === '/' || /text\/html/.test(headers.accept ?? '');
  return pages().get(path) ?? (opensPage ? pages().get('/index.html') : undefined);
}

function sendFile(file: PageFile, immutable: boolean, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'content-type': file.type,
    etag: file.etag,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (takesGzip && file.gzipped) return reply.header('content-encoding', 'gzip').send(file.gzipped);
  return reply.send((file.content ??= gunzipSync(file.gzipped!)));
}
