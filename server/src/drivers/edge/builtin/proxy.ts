import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeTarget } from '../edge.ts';
import { attempt, type Outcome } from './attempt.ts';
import { bufferedBody, type Exchange } from './exchange.ts';
import type { Holds } from './holds.ts';
import type { InFlight } from './in-flight.ts';
import { sendPage } from './pages.ts';
import { joinConnections, passOnAnswer } from './pass-on.ts';
import type { Asked } from './request-target.ts';
import { Retries } from './retries.ts';
import type { Routes } from './routes.ts';
import { serveStatic } from './static/serve.ts';
import type { Upstreams } from './upstreams.ts';

export interface Traffic {
  routes: Routes;
  inFlight: InFlight;
  holds: Holds;
  upstreams: Upstreams;
}

const mostWaiting = 2000;
let waiting = 0;

/** Answers one request. Each attempt looks the route up again, so that none goes to a release that was replaced. */
export async function proxy(traffic: Traffic, exchange: Exchange): Promise<void> {
  const { request, response, asked, repeatable } = exchange;
  const body = await bufferedBody(exchange);
  const retries = new Retries(repeatable);
  for (;;) {
    const route = traffic.routes.find(asked.host, asked.path);
    if (!route) return sendPage(request, response, 'not_deployed');
    if (traffic.holds.has(route.deploymentId)) {
      if (!(await traffic.holds.wait(exchange.client))) return sendPage(request, response, 'busy');
      if (exchange.client.destroyed) return;
      retries.renew();
      continue;
    }
    const underWay = traffic.inFlight.begin(route.deploymentId);
    try {
      const { target } = route;
      if (target.type === 'redirect') return redirect(response, target, asked);
      if (target.type === 'static') return await serveStatic(request, response, target, route.path, asked);
      const outcome = await attempt(exchange, route, target, traffic.upstreams, body);
      if (outcome.type === 'client gone') return;
      if (goesOn(outcome)) underWay.lasts();
      if (outcome.type === 'answer') return await passOnAnswer(exchange, outcome.answer, outcome.upstream);
      if (outcome.type === 'upgraded')
        return await joinConnections(exchange, outcome.answer, outcome.socket, outcome.head);
      const { failure } = outcome;
      const pause = retries.pauseAfter(failure);
      if (pause === null) return sendPage(request, response, failure.tooSlow ? 'too_slow' : 'no_answer');
      underWay.over();
      if (!(await wait(pause))) return sendPage(request, response, 'busy');
      if (exchange.client.destroyed) return;
    } finally {
      underWay.over();
    }
  }
}

function redirect(
  response: Exchange['response'],
  { to, status }: EdgeTarget & { type: 'redirect' },
  { url }: Asked,
): void {
  response.writeHead(status, { Location: `${to}${url}`, 'Content-Length': 0 });
  response.end();
}

/** What has no end of its own: a changed protocol, a stream of events. */
const goesOn = (outcome: Outcome): boolean =>
  outcome.type === 'upgraded' ||
  (outcome.type === 'answer' && /^text\/event-stream\b/i.test(outcome.answer.headers['content-type'] ?? ''));

/** False when too many wait already: an app that is down must not fill the memory. */
async function wait(ms: number): Promise<boolean> {
  if (!ms) return true;
  if (waiting >= mostWaiting) return false;
  waiting++;
  await sleep(ms).finally(() => waiting--);
  return true;
}
