import type { IncomingHttpHeaders } from 'node:http';
import { z } from '../../../lib/zod/index.ts';
import { notFound } from '../../../errors.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { Proofs } from './proofs.ts';

export const proofRoutes = (proofs: Proofs): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/.well-known/acme-challenge/:token',
    permission: 'public',
    summary: 'ACME challenge of a domain',
    description: 'The edge forwards requests for this path here.',
    // All requests come from the edge's address, and a rate-limited authority issues nothing.
    ownLimit: true,
    params: z.object({ token: z.string() }),
    contentType: 'text/plain; charset=utf-8',
    output: z.string(),
    async handle({ params, headers }) {
      const answer = await proofs.answerFor(askedHost(headers), params.token);
      if (answer === undefined) throw notFound('challenge');
      return answer;
    },
  }),
];

/** Returns the requested host. The header is trusted from any client: challenges are not secret and grant nothing. */
function askedHost(headers: IncomingHttpHeaders): string {
  const asked = headers['x-mooring-asked-host'] ?? headers.host ?? '';
  return String(asked).replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}
