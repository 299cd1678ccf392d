import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Caller, SignedIn } from './caller.ts';
import type { EventStream } from './sse.ts';
import type { Action, Permission } from './permission.ts';

/** `public`: anybody. `signed-in`: about the caller's own account. Else the permission that the route needs. */
export type RoutePermission = Permission | 'public' | 'signed-in';

type CallerOf<G extends RoutePermission> = G extends 'public' ? null : G extends 'signed-in' ? SignedIn : Caller;
type Given<S extends z.ZodType | undefined> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler is given: checked input, who calls, and the few things of HTTP that a rule may need. */
export interface RouteRequest<G extends RoutePermission, P, Q, B> {
  caller: CallerOf<G>;
  params: P;
  query: Q;
  body: B;
  ip: string;
  userAgent: string;
  session: { start(secret: string): void; end(): void };
  headers: IncomingHttpHeaders;
  /** Where the client reached us: scheme and host. */
  origin: string;
  /** Whether people reach us over TLS, so that a cookie may be for that alone. */
  isSecure: boolean;
  /** What goes along with the body: another status than the route's own, further headers. */
  reply: { status(code: number): void; header(name: string, value: string): void };
  /** Only on routes with `streams`. `again` is asked now and then, with the caller as it is then: when it throws, the
   * stream ends. */
  stream: (again: (caller: CallerOf<G>) => Promise<unknown>) => EventStream;
  /** Instead of a stream: there is nothing to come, 204. */
  noContent: () => void;
  /** The body as it comes; only on routes with `rawBody`. */
  raw: Readable;
}

type Shape = z.ZodType | undefined;

interface RouteSpec<G extends RoutePermission, P extends Shape, Q extends Shape, B extends Shape, O extends z.ZodType> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Outside of the API only where others decide on the path. */
  path: `/api/${string}` | `/.well-known/${string}`;
  permission: G;
  summary: string;
  description?: string;
  /** Not mounted in the other mode: the path is a 404 there. */
  mode?: 'self-hosted' | 'cloud';
  /** What the caller needs on the thing itself, beyond the permission of the route; the handler asks for it. */
  onTarget?: Action;
  /** The answer is a stream of server-sent events. */
  streams?: boolean;
  /** Whoever calls is not counted among strangers. */
  ownLimit?: boolean;
  /** The body is not JSON and is not read for the handler, which keeps its own limits. */
  rawBody?: boolean;
  /** The answer is text of this type instead of JSON. */
  contentType?: string;
  params?: P;
  query?: Q;
  body?: B;
  output: O;
  status?: 200 | 201 | 202;
  /** Bytes; 1 MB unless said otherwise. */
  bodyLimit?: number;
  handle(request: RouteRequest<G, Given<P>, Given<Q>, Given<B>>): Promise<z.input<O>> | z.input<O>;
}

/** A route with its types forgotten, as the table of routes holds it. */
export type Route = Omit<RouteSpec<RoutePermission, Shape, Shape, Shape, z.ZodType>, 'handle'> & {
  handle(request: RouteRequest<RoutePermission, unknown, unknown, unknown>): unknown;
};

/** Method, path, permission, what goes in, what comes out, one call. */
export function defineRoute<
  G extends RoutePermission,
  O extends z.ZodType,
  P extends Shape = undefined,
  Q extends Shape = undefined,
  B extends Shape = undefined,
>(spec: RouteSpec<G, P, Q, B, O>): Route {
  return spec as unknown as Route;
}
