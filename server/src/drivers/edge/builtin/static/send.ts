import { closeSync, createReadStream, read as readWithCallback } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheControlOf, contentTypeOf } from './content-types.ts';
import type { Folder, OpenFile } from './files.ts';
import { isUnchanged, readRange } from './range.ts';

const read = promisify(readWithCallback);
const smallBytes = 65_536;

/** Sends an open file, and closes it. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  folder: Folder,
  plain: OpenFile,
  parts: string[],
  status: 200 | 404,
): Promise<void> {
  const opened = [plain];
  try {
    const compressed = await compressedSibling(folder, parts, request);
    if (compressed) opened.push(compressed.file);
    const file = compressed?.file ?? plain;
    const etag = `"${file.since.getTime().toString(36)}-${file.size.toString(36)}${compressed ? `-${compressed.coding}` : ''}"`;
    const lastModified = file.since.toUTCString();
    const headers = {
      'Content-Type': contentTypeOf(plain.name),
      'Cache-Control': status === 200 ? cacheControlOf(plain.name) : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...(compressed && { 'Content-Encoding': compressed.coding === 'gz' ? 'gzip' : compressed.coding }),
      ...(status === 200 && { ETag: etag, 'Last-Modified': lastModified, 'Accept-Ranges': 'bytes' }),
    };
    if (status === 200 && isUnchanged(request.headers, etag, lastModified)) {
      response.writeHead(304, headers);
      return void response.end();
    }
    const range = status === 200 ? readRange(request.headers, file.size, etag, lastModified) : null;
    if (range === 'unsatisfiable') {
      response.writeHead(416, { 'Content-Range': `bytes */${file.size}`, 'Content-Length': 0 });
      return void response.end();
    }
    const { first, last } = range ?? { first: 0, last: file.size - 1 };
    const length = last - first + 1;
    response.writeHead(range ? 206 : status, {
      ...headers,
      'Content-Length': length,
      ...(range && { 'Content-Range': `bytes ${first}-${last}/${file.size}` }),
    });
    if (request.method === 'HEAD' || !length) return void response.end();
    await sendBytes(response, file, first, length);
  } finally {
    for (const { descriptor } of opened) closeSync(descriptor);
  }
}

async function sendBytes(
  response: ServerResponse,
  { descriptor }: OpenFile,
  first: number,
  length: number,
): Promise<void> {
  if (length <= smallBytes) {
    const { buffer, bytesRead } = await read(descriptor, Buffer.allocUnsafe(length), 0, length, first);
    return void (bytesRead === length ? response.end(buffer) : response.destroy());
  }
  const stream = createReadStream('', { fd: descriptor, start: first, end: first + length - 1, autoClose: false });
  await pipeline(stream, response, { end: false }).catch(() => response.destroy());
  // A file that became shorter meanwhile: the client must not wait for the rest.
  if (stream.bytesRead === length) response.end();
  else response.destroy();
}

/** `app.js.br` or `app.js.gz`, made when the app was built. Ranges are of the plain file. */
async function compressedSibling(
  folder: Folder,
  parts: string[],
  { headers }: IncomingMessage,
): Promise<{ file: OpenFile; coding: 'br' | 'gz' } | null> {
  if (headers.range !== undefined) return null;
  for (const coding of ['br', 'gz'] as const) {
    if (!accepts(headers['accept-encoding'], coding === 'gz' ? 'gzip' : coding)) continue;
    const file = await folder.openFile([...parts.slice(0, -1), `${parts.at(-1)}.${coding}`]);
    if (file) return { file, coding };
  }
  return null;
}

function accepts(header: string | string[] | undefined, coding: string): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().split(/\s*;\s*q=/))
    .some(([name, quality]) => name === coding && (quality === undefined || Number(quality) > 0));
}
