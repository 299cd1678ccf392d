import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendPage } from '../pages.ts';
import type { RequestTarget } from '../request-target.ts';
import { acceptedCodings } from './accept-encoding.ts';
import type { CompressedFiles } from './compressed-files.ts';
import { looksLikeAsset } from './content-types.ts';
import { Folder, type OpenFile, readParts } from './files.ts';
import { HotFiles, sendHot } from './hot-files.ts';
import { sendFile } from './send.ts';

const hotFiles = new HotFiles();

type Target = { folder: string; fallback: string | null; within?: string };
type Found =
  | { type: 'file'; file: OpenFile; parts: string[] }
  | { type: 'moved'; parts: string[]; slash: boolean }
  | null;

/** Serves a request from a folder. The route's path is not part of the file names. */
export async function serveStatic(
  request: IncomingMessage,
  response: ServerResponse,
  { folder: path, fallback, within = path }: Target,
  routePath: string,
  { path: asked, url }: RequestTarget,
  compressed: CompressedFiles,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendPage(request, response, 'not_allowed', { Allow: 'GET, HEAD' });
  const parts = readParts(asked.slice(routePath.length));
  if (!parts) return sendPage(request, response, 'not_found');
  const { range, 'accept-encoding': accepted } = request.headers;
  const name = [path, within, routePath, asked, ...acceptedCodings(accepted)].join('\0');
  const hot = range === undefined ? hotFiles.get(name) : null;
  if (hot) return sendHot(request, response, hot);
  const folder = new Folder(path, within);
  const from = { folder, compressed };
  const found = await find(folder, parts, asked.endsWith('/') || parts.length === 0);
  if (found?.type === 'file')
    return sendFile(request, response, from, found.file, found.parts, 200, (file) => {
      if (range === undefined) hotFiles.keep(name, file);
    });
  if (found?.type === 'moved') {
    // Built from the decoded segments: a path that begins with `//` would redirect to another host.
    const base = routePath.split('/').filter(Boolean);
    const to = [...base, ...found.parts.map(encodeURIComponent)].join('/');
    response.writeHead(308, {
      Location: `/${to}${found.slash ? '/' : ''}${url.slice(asked.length)}`,
      'Content-Length': 0,
      'Cache-Control': 'no-cache',
    });
    return void response.end();
  }
  if (fallback !== null && !looksLikeAsset(parts.at(-1) ?? '')) {
    const names = fallback.split('/').filter(Boolean);
    const file = await folder.openFile(names);
    if (file) return sendFile(request, response, from, file, names, 200);
  }
  const missing = await folder.openFile(['404.html']);
  if (missing) return sendFile(request, response, from, missing, ['404.html'], 404);
  sendPage(request, response, 'not_found');
}

/** `/about` resolves to `about`, `about.html` or, with a trailing slash, `about/index.html`. */
async function find(folder: Folder, parts: string[], slash: boolean): Promise<Found> {
  const file = (opened: OpenFile, names: string[]): Found => ({ type: 'file', file: opened, parts: names });
  const page = [...parts.slice(0, -1), `${parts.at(-1)}.html`];
  const index = [...parts, 'index.html'];
  if (slash) {
    const opened = await folder.openFile(index);
    if (opened) return file(opened, index);
    const withoutSlash = parts.length > 0 && ((await folder.has(parts)) || (await folder.has(page)));
    return withoutSlash ? { type: 'moved', parts, slash: false } : null;
  }
  const exact = await folder.open(parts);
  if (exact && exact !== 'folder') return file(exact, parts);
  const opened = await folder.openFile(page);
  if (opened) return file(opened, page);
  return exact === 'folder' && (await folder.has(index)) ? { type: 'moved', parts, slash: true } : null;
}
