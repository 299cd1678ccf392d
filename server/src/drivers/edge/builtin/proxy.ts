import type { Socket } from 'node:net';
import type { EdgeRoute, EdgeTarget, Upstream } from '../edge.ts';
import { bufferedBody, type ClientExchange } from './exchange.ts';
import { requestHead } from './headers.ts';
import type { InFlightRequest } from './limits/in-flight.ts';
import { type PageName, sendPage } from './pages.ts';
import { announceHttps, hstsOf, redirect, redirectToHttps } from './redirects.ts';
import { type AttemptFailure, pauseThen, Retries } from './retries.ts';
import { serveStatic } from './static/serve.ts';
import type { Traffic } from './traffic.ts';
import { Attempt, type AttemptOwner } from './upstream/attempt.ts';
import { joinConnections } from './upstream/join-connections.ts';
import type { ResponseHead } from './upstream/response-head.ts';

/** Answers one request. Every attempt looks up the route again, so that none goes to a replaced release. */
export class Proxying implements AttemptOwner {
  readonly #traffic: Traffic;
  readonly #exchange: ClientExchange;
  readonly #onOver: (error: unknown) => void;
  #isOver = false;
  #isChallenge = false;
  #body: Buffer | null = null;
  #head: string | null = null;
  /** `performance.now()` of the first attempt. */
  #since = 0;
  #retries: Retries | null = null;
  #route: EdgeRoute | null = null;
  #upstream: Upstream | null = null;
  #replica: string | null = null;
  /** Replicas that failed this request. */
  #tried: Set<string> | null = null;
  #underWay: InFlightRequest | null = null;
  #atReplica: InFlightRequest | null = null;

  /** `onOver` is called once, with the error of a request that could not be answered. */
  constructor(traffic: Traffic, exchange: ClientExchange, onOver: (error: unknown) => void) {
    this.#traffic = traffic;
    this.#exchange = exchange;
    this.#onOver = onOver;
  }

  start(): void {
    const { challenges } = this.#traffic;
    this.#isChallenge = challenges.isOne(this.#exchange);
    if (!this.#isChallenge) return this.#readBody();
    this.#after(challenges.answer(this.#exchange), (isAnswered) => (isAnswered ? this.onOver() : this.#readBody()));
  }

  #readBody(): void {
    const { repeatable, framing } = this.#exchange;
    this.#since = performance.now();
    if (!repeatable || framing === 'none') return this.#go();
    this.#after(bufferedBody(this.#exchange), (body) => {
      this.#body = body;
      this.#since = performance.now();
      this.#go();
    });
  }

  #go(): void {
    try {
      this.#follow();
    } catch (error) {
      this.onError(error);
    }
  }

  /** Follows the route that the request has now. */
  #follow(): void {
    const { request, response, asked, visitor, client } = this.#exchange;
    const { front, routes, inFlight, compressed } = this.#traffic;
    if (client.destroyed) return this.onOver();
    const place = routes.find(asked.host, asked.path);
    // A client that verified one project's certificate is not routed to another project.
    if (
      visitor.secure &&
      asked.host !== visitor.servername &&
      !(place && routes.table.has(visitor.servername, place.key))
    )
      return this.#page('misdirected');
    if (!place) return this.#page('not_deployed');
    const { route } = place;
    this.#exchange.key = place.key;
    this.#route = route;
    if (!visitor.https && route.https === 'redirect' && !this.#isChallenge && redirectToHttps(response, asked, front))
      return this.onOver();
    if (this.#traffic.holds.has(route.deploymentId)) return this.#hold();
    this.#underWay = inFlight.begin(route.deploymentId);
    const { target } = route;
    if (target.type === 'upstream') return this.#send(route, target);
    if (visitor.https) announceHttps(response, route);
    if (target.type === 'redirect') {
      redirect(response, target, asked);
      return this.onOver();
    }
    return this.#after(serveStatic(request, response, target, route.path, asked, compressed), () => this.onOver());
  }

  #hold(): void {
    this.#after(this.#traffic.holds.wait(this.#exchange.client), (hasRoom) => {
      if (!hasRoom) return this.#page('busy');
      // The time of the hold was not spent waiting for the app.
      this.#since = performance.now();
      this.#retries?.renew(this.#since);
      return this.#go();
    });
  }

  #send(route: EdgeRoute, target: Several): void {
    const exchange = this.#exchange;
    const { upstreams, replicas, front } = this.#traffic;
    let upstream: Upstream = target;
    this.#replica = null;
    if (target.others) {
      const chosen = replicas.choose(route.deploymentId, target, (this.#tried ??= new Set()));
      if (!chosen) return this.#page('no_answer');
      this.#replica = chosen.key;
      this.#atReplica = replicas.inFlight.begin(chosen.key);
      ({ upstream } = chosen);
    }
    this.#upstream = upstream;
    this.#head ??= requestHead(exchange, front.portFor(exchange.visitor));
    if (this.#head === null) return this.#page('bad_request');
    const connection = exchange.upgrade
      ? upstreams.single(route, upstream)
      : upstreams.connection(route, upstream, exchange.repeatable);
    new Attempt(exchange, connection, this.#head, this.#body, this).start();
  }

  onAnswer(head: ResponseHead): void {
    const hsts = this.#exchange.visitor.https ? hstsOf(this.#route!) : null;
    if (hsts !== null && !head.hasHsts) head.headers.push(...hsts);
    if (isEventStream.test(head.contentType)) this.#lasts(head);
  }

  onUpgrade(head: ResponseHead, socket: Socket, first: Buffer): void {
    this.#lasts(head);
    this.#after(joinConnections(this.#exchange, head, socket, first), () => this.onOver());
  }

  onFailure(failure: AttemptFailure): void {
    const { replicas } = this.#traffic;
    const { others = [] } = this.#route!.target as Several;
    this.#leave();
    if (this.#replica !== null) {
      replicas.failed(this.#replica, this.#upstream!, failure.cause === 'silent');
      this.#tried!.add(this.#replica);
    }
    // Another replica may answer at once.
    const isOneLeft = this.#replica !== null && this.#tried!.size <= others.length;
    this.#retries ??= new Retries(this.#exchange.repeatable, this.#since);
    const pause = this.#retries.pauseAfter(failure, isOneLeft);
    if (pause === null) return this.#page(pageAbout(failure, this.#upstream!));
    if (!pause) return this.#go();
    if (!pauseThen(pause, () => this.#go())) return this.#page('busy');
    return undefined;
  }

  onOver(): void {
    this.onError(null);
  }

  onError(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    this.#onOver(error);
  }

  #page(name: PageName): void {
    const { request, response, visitor } = this.#exchange;
    if (visitor.https && this.#route) announceHttps(response, this.#route);
    sendPage(request, response, name);
    this.onOver();
  }

  #leave(): void {
    this.#underWay?.over();
    this.#atReplica?.over();
    this.#underWay = this.#atReplica = null;
  }

  /** Marks an upgraded connection or event stream, which never ends by itself. It is counted when it begins. */
  #lasts({ status }: ResponseHead): void {
    const exchange = this.#exchange;
    this.#underWay!.lasts();
    this.#traffic.counts.request(exchange.key!, status, performance.now() - exchange.began);
    exchange.isCounted = true;
  }

  #after<T>(work: Promise<T>, then: (result: T) => void): void {
    work.then(then).catch((error: unknown) => this.onError(error));
  }
}

type Several = Extract<EdgeTarget, { type: 'upstream' }>;

const pageAbout = ({ cause }: AttemptFailure, { socketPath }: Upstream): PageName =>
  cause === 'slow' ? 'too_slow' : socketPath ? 'restarting' : 'no_answer';

const isEventStream = /^text\/event-stream\b/i;
