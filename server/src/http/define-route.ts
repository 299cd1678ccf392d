import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from '../lib/zod/index.ts';
import type { Caller, SignedIn } from './caller.ts';
import type { EventStream } from './sse.ts';
import type { Action, Permission } from './permission.ts';

/** `public`: anyone. `signed-in`: about the caller's own account. Otherwise the required permission. */
export type RoutePermission = Permission | 'public' | 'signed-in';

type CallerOf<G extends RoutePermission> = G extends 'public' ? null : G extends 'signed-in' ? SignedIn : Caller;
type Given<S extends z.ZodType | undefined> = S extends z.ZodType ? z.output<S> : undefined;

/** Input of a handler: validated data, the caller, and a few parts of HTTP. */
export interface RouteRequest<G extends RoutePermission, P, Q, B> {
  caller: CallerOf<G>;
  params: P;
  query: Q;
  body: B;
  ip: string;
  userAgent: string;
  session: { start(secret: string): void; end(): void };
  headers: IncomingHttpHeaders;
  /** Scheme and host that the client used. */
  origin: string;
  /** Whether clients use TLS, so that cookies can be Secure. */
  isSecure: boolean;
  /** Overrides the route's status, and adds headers. */
  reply: { status(code: number): void; header(name: string, value: string): void };
  /** Only on routes with `streams`. `again` is called periodically with the current caller: if it throws, the stream
   * ends. */
  stream: (again: (caller: CallerOf<G>) => Promise<unknown>) => EventStream;
  /** Responds with 204 instead of a stream. */
  noContent: () => void;
  /** The body as a stream; only on routes with `rawBody`. */
  raw: Readable;
}

type Shape = z.ZodType | undefined;

interface RouteSpec<G extends RoutePermission, P extends Shape, Q extends Shape, B extends Shape, O extends z.ZodType> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Outside of the API only where a standard defines the path. */
  path: `/api/${string}` | `/.well-known/${string}`;
  permission: G;
  summary: string;
  description?: string;
  /** Only mounted in this mode; a 404 in the other. */
  mode?: 'self-hosted' | 'cloud';
  /** Required action on the resource itself, beyond the route's permission; the handler checks it. */
  onTarget?: Action;
  /** The response is a stream of server-sent events. */
  streams?: boolean;
  /** Exempt from the limit of anonymous requests. */
  ownLimit?: boolean;
  /** The body is not JSON and not parsed; the handler enforces its own limits. */
  rawBody?: boolean;
  /** The response depends on nothing but the caller, the URL and the database, so it is kept until that changes. */
  cached?: boolean;
  /** The response is text of this type instead of JSON. */
  contentType?: string;
  params?: P;
  query?: Q;
  body?: B;
  output: O;
  status?: 200 | 201 | 202;
  /** Bytes; default 1 MB. */
  bodyLimit?: number;
  handle(request: RouteRequest<G, Given<P>, Given<Q>, Given<B>>): Promise<z.input<O>> | z.input<O>;
}

/** A route without its type parameters, as in the route table. */
export type Route = Omit<RouteSpec<RoutePermission, Shape, Shape, Shape, z.ZodType>, 'handle'> & {
  handle(request: RouteRequest<RoutePermission, unknown, unknown, unknown>): unknown;
};

/** Defines a route: method, path, permission, input, output, handler. */
export function defineRoute<
  G extends RoutePermission,
  O extends z.ZodType,
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
>(spec: RouteSpec<G, P, Q, B, O>): Route {
  return spec as unknown as Route;
}
