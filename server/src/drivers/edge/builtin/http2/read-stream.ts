import { type IncomingMessage, METHODS } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';
import type { EdgeResponse } from '../counted-response.ts';
import { type ClientExchange, newExchange, type Visitor } from '../exchange.ts';
import { type RequestTarget, parseRequestTarget, type Framing } from '../request-target.ts';
import type { StreamResponse } from './response.ts';

const methods = new Set(METHODS);
/** What can be in the first line of HTTP/1, where it goes next. */
const pathOnly = /^\/[\x21-\xff]*$/;

/** Gives null for a request that must not be passed on. Node and nghttp2 have refused what is not HTTP/2 at all. */
export function readStream(
  request: Http2ServerRequest,
  response: StreamResponse,
  visitor: Visitor,
): ClientExchange | null {
  const asked = readAsked(request);
  const framing = framingOf(request);
  if (!asked || framing === 'refused' || !methods.has(request.method) || request.method === 'CONNECT') return null;
  const { stream } = request;
  return newExchange(
    {
      // Both have what is used of the ones that they stand for, and nothing else is.
      request: request as unknown as IncomingMessage,
      response: response as unknown as EdgeResponse,
      upgrade: null,
      visitor,
      // A stream that was reset ends like one that is over; but only one that is over is still open for the answer.
      isWhole: () => !stream.closed && !stream.destroyed,
      cut: () => stream.close(constants.NGHTTP2_NO_ERROR),
    },
    asked,
    framing,
  );
}

/** The name is in `:authority`; a `host` beside it must say the same, or others would read it in another way. */
function readAsked({ headers, rawHeaders }: Http2ServerRequest): RequestTarget | null {
  const authority = headers[':authority'] ?? headers.host;
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1] === 'host');
  const url = headers[':path'];
  if (headers[':scheme'] !== 'https' || typeof authority !== 'string' || typeof url !== 'string') return null;
  if (hosts.some((host) => host.toLowerCase() !== authority.toLowerCase())) return null;
  return pathOnly.test(url) ? parseRequestTarget(authority, url) : null;
}

function framingOf({ stream, headers }: Http2ServerRequest): Framing {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return 'refused';
  if (stream.endAfterHeaders || length === '0') return 'none';
  if (length === undefined) return 'chunked';
  return /^\d{1,15}$/.test(length) ? 'length' : 'refused';
}
