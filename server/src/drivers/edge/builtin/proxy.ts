import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from '../edge.ts';
import { attempt } from './attempt.ts';
import type { Challenges } from './challenges.ts';
import type { Counts } from './counts.ts';
import { bufferedBody, type ClientExchange } from './exchange.ts';
import type { Front } from './front.ts';
import type { Holds } from './holds.ts';
import type { InFlight, UnderWay } from './limits/in-flight.ts';
import { type PageName, sendPage } from './pages.ts';
import { readHead } from './headers.ts';
import { joinConnections, passOnAnswer } from './pass-on.ts';
import { announceHttps, redirect, redirectToHttps } from './redirects.ts';
import type { ReplicaBalancer } from './replicas.ts';
import { type AttemptFailure, Retries } from './retries.ts';
import type { Routes } from './routes.ts';
import type { CompressedFiles } from './static/compressed-files.ts';
import { serveStatic } from './static/serve.ts';
import type { Upstreams } from './upstreams.ts';

export interface Traffic {
  routes: Routes;
  inFlight: InFlight;
  holds: Holds;
  upstreams: Upstreams;
  replicas: ReplicaBalancer;
  counts: Counts;
  challenges: Challenges;
  front: Front;
  compressed: CompressedFiles;
}

const mostWaiting = 2000;
let waiting = 0;

/** Answers one request. Every attempt looks up the route again, so that none goes to a replaced release. */
export async function proxy(traffic: Traffic, exchange: ClientExchange): Promise<void> {
  const { request, response, asked, repeatable, visitor } = exchange;
  const { front, routes } = traffic;
  const isChallenge = traffic.challenges.isOne(exchange);
  if (isChallenge && (await traffic.challenges.answer(exchange))) return;
  const body = await bufferedBody(exchange);
  const retries = new Retries(repeatable);
  const tried = new Set<string>();
  for (;;) {
    const place = routes.find(asked.host, asked.path);
    // A client that verified one project's certificate is not routed to another project.
    if (
      visitor.secure &&
      asked.host !== visitor.servername &&
      !(place && routes.table.has(visitor.servername, place.key))
    )
      return sendPage(request, response, 'misdirected');
    if (!place) return sendPage(request, response, 'not_deployed');
    const { route } = place;
    exchange.key = place.key;
    if (visitor.https) announceHttps(response, route);
    else if (route.https === 'redirect' && !isChallenge && redirectToHttps(response, asked, front)) return;
    if (traffic.holds.has(route.deploymentId)) {
      if (!(await traffic.holds.wait(exchange.client))) return sendPage(request, response, 'busy');
      if (exchange.client.destroyed) return;
      retries.renew();
      continue;
    }
    const underWay = traffic.inFlight.begin(route.deploymentId);
    let atReplica: UnderWay | undefined;
    try {
      const { target } = route;
      if (target.type === 'redirect') return redirect(response, target, asked);
      if (target.type === 'static')
        return await serveStatic(request, response, target, route.path, asked, traffic.compressed);
      const chosen = target.others ? traffic.replicas.choose(route.deploymentId, target, tried) : undefined;
      const upstream = chosen?.upstream ?? target;
      atReplica = chosen && traffic.replicas.inFlight.begin(chosen.key);
      const outcome = await attempt(exchange, route, upstream, traffic.upstreams, body, front.portFor(visitor));
      if (outcome.type === 'client gone') return;
      if (outcome.type === 'answer') {
        const { answer, upstream: sent } = outcome;
        const head = readHead(answer);
        if (isEventStream.test(head.contentType)) lasts(traffic.counts, exchange, underWay, answer);
        return await passOnAnswer(exchange, answer, head, sent);
      }
      if (outcome.type === 'upgraded') {
        lasts(traffic.counts, exchange, underWay, outcome.answer);
        return await joinConnections(exchange, outcome.answer, outcome.socket, outcome.head);
      }
      const { failure } = outcome;
      if (chosen) {
        traffic.replicas.failed(chosen.key);
        tried.add(chosen.key);
      }
      // Another replica may answer at once.
      const isOneLeft = chosen !== undefined && tried.size <= target.others!.length;
      const pause = retries.pauseAfter(failure, isOneLeft);
      if (pause === null) return sendPage(request, response, pageAbout(failure, upstream));
      underWay.over();
      atReplica?.over();
      if (!(await wait(pause))) return sendPage(request, response, 'busy');
      if (exchange.client.destroyed) return;
    } finally {
      underWay.over();
      atReplica?.over();
    }
  }
}

const pageAbout = ({ tooSlow }: AttemptFailure, { socketPath }: Upstream): PageName =>
  tooSlow ? 'too_slow' : socketPath ? 'restarting' : 'no_answer';

const isEventStream = /^text\/event-stream\b/i;

/** Marks an upgraded connection or event stream, which never ends by itself. It is counted when it begins. */
function lasts(counts: Counts, exchange: ClientExchange, underWay: UnderWay, { statusCode }: IncomingMessage): void {
  underWay.lasts();
  counts.request(exchange.key!, statusCode!, performance.now() - exchange.began);
  exchange.isCounted = true;
}

/** Counts a finished request. A client that disconnects before the response counts as 499. */
export function countOver(counts: Counts, exchange: ClientExchange): void {
  const { key, response, began, bytesIn, isCounted } = exchange;
  if (key === null) return;
  if (!isCounted) {
    const { answeredAt } = response;
    counts.request(key, answeredAt ? response.statusCode : 499, (answeredAt || performance.now()) - began);
  }
  counts.bytes(key, bytesIn, response.bodyBytes);
}

/** Returns false when too many requests wait already: an app that is down must not fill the memory. */
async function wait(ms: number): Promise<boolean> {
  if (!ms) return true;
  if (waiting >= mostWaiting) return false;
  waiting++;
  await sleep(ms).finally(() => waiting--);
  return true;
}
