import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

type PageFile = {
  path: string;
  type: string;
  size: number;
  etag: string;
  gzipped: string | undefined;
  gzippedSize: number;
};

/** The dashboard's files by URL path. The list is made once, so that no request reaches any other file. */
export type WebPages = Map<string, PageFile>;

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
  const pages: WebPages = new Map();
  if (!existsSync(folder)) return pages;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (entry.isFile() && type) pages.set(`/${relative(folder, path).split(sep).join('/')}`, pageFile(path, type));
  }
  return pages;
}

function pageFile(path: string, type: string): PageFile {
  const gzipped = existsSync(`${path}.gz`) ? `${path}.gz` : undefined;
  const etag = `"${createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22)}"`;
  return { path, type, size: statSync(path).size, etag, gzipped, gzippedSize: gzipped ? statSync(gzipped).size : 0 };
}

/** Unknown API paths are JSON 404s; every other path is a page of the dashboard, which routes by itself. */
export function notFoundOrPage(pages: WebPages, request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0]!;
  const isApi = path === '/api' || path.startsWith('/api/');
  const readable = request.method === 'GET' || request.method === 'HEAD';
  const file =
    isApi || !readable ? undefined : (pages.get(path) ?? (extname(path) ? undefined : pages.get('/index.html')));
  if (!file)
    return reply
      .code(404)
      .send(new AppError('not_found', `there is nothing at ${request.method} ${path.slice(0, 200)}`).body());
  return sendFile(file, path.startsWith('/assets/'), request, reply);
}

function sendFile(file: PageFile, immutable: boolean, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'content-type': file.type,
    etag: file.etag,
    'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const gzipped = file.gzipped && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  if (gzipped) reply.header('content-encoding', 'gzip');
  reply.header('content-length', gzipped ? file.gzippedSize : file.size);
  if (request.method === 'HEAD') return reply.send();
  return reply.send(createReadStream(gzipped ? file.gzipped! : file.path));
}
