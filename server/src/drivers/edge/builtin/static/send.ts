import { closeSync, read as readWithCallback } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { acceptedCodings, type Coding, contentEncodingOf } from './accept-encoding.ts';
import { type CompressedFiles, leastBytes, mostBytes } from './compressed-files.ts';
import { cacheControlOf, contentTypeOf, isCompressible } from './content-types.ts';
import type { Folder, OpenFile } from './files.ts';
import type { HotFile } from './hot-files.ts';
import { hasTag, isUnchanged, readRange } from './range.ts';

const read = promisify(readWithCallback);
const smallBytes = 65_536;
/** Large pieces take half the CPU time of small ones. A crowd of slow clients gets small ones, because each holds one in
 * memory. */
const [largePiece, smallPiece] = [524_288, 131_072];
const mostLarge = 16;
let downloads = 0;

/** The plain file or a compressed one. */
type Variant = { file: OpenFile; coding: Coding | null; etag: string };

/** Sends an open file and closes it. `keep` gets a small one that was sent whole. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, compressed }: { folder: Folder; compressed: CompressedFiles },
  plain: OpenFile,
  parts: string[],
  status: 200 | 404,
  keep: (file: HotFile) => void = () => {},
): Promise<void> {
  const opened = [plain];
  try {
    const { file, coding, etag } = await variantOf(request, { folder, compressed }, plain, parts, status);
    if (file !== plain) opened.push(file);
    const lastModified = file.since.toUTCString();
    const headers = {
      'Content-Type': contentTypeOf(plain.name),
      'Cache-Control': status === 200 ? cacheControlOf(plain.name) : 'no-cache',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ...(coding && { 'Content-Encoding': contentEncodingOf(coding) }),
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
    const body = await sendBytes(response, file, first, length);
    if (body && !range && status === 200)
      keep({ headers, etag, lastModified, body, sources: file.path === plain.path ? [plain] : [plain, file] });
  } finally {
    for (const { descriptor } of opened) closeSync(descriptor);
  }
}

/** Returns the content of a small file. */
async function sendBytes(
  response: ServerResponse,
  { descriptor }: OpenFile,
  first: number,
  length: number,
): Promise<Buffer | null> {
  if (length <= smallBytes) {
    const { buffer, bytesRead } = await read(descriptor, Buffer.allocUnsafeSlow(length), 0, length, first);
    if (bytesRead === length) response.end(buffer);
    else response.destroy();
    return bytesRead === length ? buffer : null;
  }
  downloads++;
  try {
    await sendPieces(response, descriptor, first, length);
  } finally {
    downloads--;
  }
  return null;
}

async function sendPieces(response: ServerResponse, descriptor: number, first: number, length: number): Promise<void> {
  // The same buffer again for each piece, so that a download allocates nothing more.
  const buffer = Buffer.allocUnsafeSlow(Math.min(downloads > mostLarge ? smallPiece : largePiece, length));
  for (let left = length; left;) {
    const { bytesRead } = await read(descriptor, buffer, 0, Math.min(buffer.length, left), first + length - left);
    // The file was truncated meanwhile: the client must not wait for the rest.
    if (!bytesRead) response.destroy();
    if (response.destroyed) return;
    left -= bytesRead;
    await sent(response, buffer.subarray(0, bytesRead));
  }
  response.end();
}

/** Resolves when the bytes are sent, or the client is gone. */
const sent = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', resolve);
    response.write(bytes, () => {
      response.off('close', resolve);
      resolve();
    });
  });

const etagOf = ({ since, size }: OpenFile, coding: Coding | null): string =>
  `"${since.getTime().toString(36)}-${size.toString(36)}${coding ? `-${coding}` : ''}"`;

/** Picks the best variant that the client accepts: `app.js.br` or `app.js.gz` from the build, or else our own copy.
 * Ranges always apply to the plain file. */
async function variantOf(
  { headers }: IncomingMessage,
  { folder, compressed }: { folder: Folder; compressed: CompressedFiles },
  plain: OpenFile,
  parts: string[],
  status: 200 | 404,
): Promise<Variant> {
  const codings = headers.range === undefined ? acceptedCodings(headers['accept-encoding']) : [];
  const isWorthIt = isCompressible(plain.name) && plain.size >= leastBytes && plain.size <= mostBytes;
  for (const coding of codings) {
    const sibling = await folder.openFile([...parts.slice(0, -1), `${parts.at(-1)}.${coding}`]);
    if (sibling) return { file: sibling, coding, etag: etagOf(sibling, coding) };
    if (!isWorthIt) continue;
    const etag = etagOf(plain, coding);
    // A client that has this version needs no copy.
    if (status === 200 && hasTag(headers, etag)) return { file: plain, coding, etag };
    const copy = await compressed.open(plain, coding, () => folder.openFile(parts));
    if (copy) return { file: copy, coding, etag };
  }
  return { file: plain, coding: null, etag: etagOf(plain, null) };
}
