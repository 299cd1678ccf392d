import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from './caller.ts';
import type { Route } from './define-route.ts';
import { type RecheckAccess, openStream } from './open-stream.ts';
import { endedSessionCookie, sessionCookie } from './session-cookie.ts';
import type { EventStreams } from './sse.ts';
import { isSecure, type AccessCheckOptions } from './access-check.ts';

type Options = AccessCheckOptions & { streams: EventStreams; sessionDays: number };

/** See `RouteRequest`. What few handlers use is computed when it is read. */
export class RouteInput {
  readonly #route: Route;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #options: Options;
  readonly caller: SignedIn | null;
  params: unknown;
  query: unknown;
  body: unknown;
  statusCode: number;

  constructor(route: Route, request: FastifyRequest, reply: FastifyReply, options: Options) {
    this.#route = route;
    this.#request = request;
    this.#reply = reply;
    this.#options = options;
    this.caller = request.signedIn;
    this.statusCode = route.status ?? 200;
  }

  get ip() {
    return this.#request.ip;
  }

  get userAgent() {
    return (this.#request.headers['user-agent'] ?? '').slice(0, 200);
  }

  get headers() {
    return this.#request.headers;
  }

  get origin() {
    return `${this.#request.protocol}://${this.#request.host}`;
  }

  get isSecure() {
    return isSecure(this.#request, this.#options);
  }

  get raw() {
    return this.#request.raw;
  }

  get reply() {
    return {
      status: (code: number) => void (this.statusCode = code),
      header: (name: string, value: string) => void this.#reply.header(name, value),
    };
  }

  get session() {
    const { isSecure: secure } = this;
    const setCookie = (cookie: string) => void this.#reply.header('set-cookie', cookie);
    return {
      start: (secret: string) => setCookie(sessionCookie(secret, this.#options.sessionDays * 86_400, secure)),
      end: () => setCookie(endedSessionCookie(secure)),
    };
  }

  get stream() {
    return (again: RecheckAccess) => openStream(this.#route, this.#request, this.#reply, this.#options, again);
  }

  get noContent() {
    return () => void this.#reply.code(204).send();
  }
}
