import type { Challenges } from './challenges.ts';
import type { TrafficCounts } from './traffic-counts.ts';
import type { ClientExchange } from './exchange.ts';
import type { Front } from './front.ts';
import type { Holds } from './holds.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { ReplicaBalancer } from './replicas.ts';
import type { Routes } from './routes.ts';
import type { CompressedFiles } from './static/compressed-files.ts';
import type { Upstreams } from './upstream/upstreams.ts';

/** Everything that the edge needs to answer requests. */
export interface Traffic {
  routes: Routes;
  inFlight: InFlight;
  holds: Holds;
  upstreams: Upstreams;
  replicas: ReplicaBalancer;
  counts: TrafficCounts;
  challenges: Challenges;
  front: Front;
  compressed: CompressedFiles;
}

/** Counts a finished request. A client that disconnects before the response counts as 499. */
export function countFinishedRequest(counts: TrafficCounts, exchange: ClientExchange): void {
  const { key, response, began, bytesIn, isCounted } = exchange;
  if (key === null) return;
  if (!isCounted) {
    const { answeredAt } = response;
    counts.request(key, answeredAt ? response.statusCode : 499, (answeredAt || performance.now()) - began);
  }
  counts.bytes(key, bytesIn, response.bodyBytes);
}
