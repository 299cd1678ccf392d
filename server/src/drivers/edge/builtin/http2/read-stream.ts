import { type IncomingMessage, METHODS } from 'node:http';
import { constants } from 'node:http2';
import type { EdgeResponse } from '../counted-response.ts';
import { readRequestFields, type RequestFields } from '../headers.ts';
import { type ClientExchange, newExchange, type Visitor } from '../exchange.ts';
import { type RequestTarget, parseRequestTarget, type Framing } from '../request-target.ts';
import type { StreamRequest } from './request.ts';
import type { StreamResponse } from './response.ts';

const methods = new Set(METHODS);
/** Paths that are valid in an HTTP/1 request line, where they go next. */
const pathOnly = /^\/[\x21-\xff]*$/;

/** Returns null for a request that must not be forwarded. Node and nghttp2 already reject malformed HTTP/2. */
export function readStream(request: StreamRequest, response: StreamResponse, visitor: Visitor): ClientExchange | null {
  const fields = readRequestFields(request.rawHeaders, true);
  const asked = readAsked(request, fields);
  const framing = framingOf(request);
  if (!asked || framing === 'refused' || !methods.has(request.method) || request.method === 'CONNECT') return null;
  const { stream } = request;
  return newExchange(
    {
      // The HTTP/2 objects provide every member that the edge uses of the HTTP/1 types.
      request: request as unknown as IncomingMessage,
      response: response as unknown as EdgeResponse,
      upgrade: null,
      visitor,
      // A reset stream emits `end` like a complete one, but only a complete one is still open for the response.
      isWhole: () => !stream.closed && !stream.destroyed,
      cut: () => stream.close(constants.NGHTTP2_NO_ERROR),
    },
    asked,
    fields,
    framing,
  );
}

/** The host is in `:authority`; a different `host` header is rejected, because an app could read that one instead. */
function readAsked({ headers }: StreamRequest, { host, hosts }: RequestFields): RequestTarget | null {
  const authority = headers[':authority'] ?? host;
  const url = headers[':path'];
  if (headers[':scheme'] !== 'https' || authority === undefined || url === undefined) return null;
  if (hosts > 1 || (host !== undefined && host.toLowerCase() !== authority.toLowerCase())) return null;
  return pathOnly.test(url) ? parseRequestTarget(authority, url) : null;
}

function framingOf({ stream, headers }: StreamRequest): Framing {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined) return 'refused';
  if (stream.endAfterHeaders || length === '0') return 'none';
  if (length === undefined) return 'chunked';
  return /^\d{1,15}$/.test(length) ? 'length' : 'refused';
}
