import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from '../lib/zod/index.ts';
import { AppError } from '../errors.ts';
import { okItem, itemResponse } from './responses.ts';
import { docsPage } from './docs-page.ts';
import { defineRoute, type Route } from './define-route.ts';

type Options = {
  version: string;
  mode: 'self-hosted' | 'cloud';
  openApiFile: string;
  /** Whether this machine runs containers. */
  containers: boolean;
  /** Whether this replica is about to stop. */
  isDraining: () => boolean;
  /** Notices about this machine for the instance owner. */
  notices: () => Promise<string[]>;
  /** Null if the dashboard has a certificate, or the edge does not serve it. */
  certificateProgress: () => Promise<z.input<typeof CertificateProgress> | null>;
};

/** Creates a text on the first request and serves it with an ETag. */
function madeOnce(make: () => string) {
  let made: { text: string; tag: string } | undefined;
  return ({ headers, reply }: Pick<HandlerInput, 'headers' | 'reply'>): string => {
    const text = made?.text ?? make();
    made ??= { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
    reply.header('etag', made.tag);
    reply.header('cache-control', 'no-cache');
    if (headers['if-none-match'] !== made.tag) return made.text;
    reply.status(304);
    return '';
  };
}

type HandlerInput = Parameters<Route['handle']>[0];

const CertificateProgress = z.object({
  domain: z.string(),
  url: z.string().describe('Address of the dashboard once the certificate is issued.'),
  error: z.object({ message: z.string(), fix: z.string() }).nullable().describe('Why the last order failed.'),
});

const Connection = z
  .object({
    certificate: CertificateProgress.nullable().describe(
      'Null unless the connection is not encrypted because the certificate is missing.',
    ),
  })
  .meta({ id: 'Connection' });

/** Public routes about the instance itself. */
export const instanceRoutes = ({ version, mode, containers, notices, isDraining, ...options }: Options): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/health',
    permission: 'public',
    summary: 'Health check of the service',
    description: 'Returns 503 once the service is about to stop (`MOORING_DRAIN_SECONDS`).',
    ownLimit: true,
    output: z.object({ status: z.literal('ok'), version: z.string(), mode: z.enum(['self-hosted', 'cloud']) }),
    handle() {
      if (isDraining()) throw new AppError('unavailable', 'this replica is about to stop', { retryAfterSeconds: 1 });
      return { status: 'ok' as const, version, mode };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/instance',
    permission: 'signed-in',
    summary: 'Version, mode and notices of the instance',
    output: itemResponse(
      z.object({
        version: z.string(),
        mode: z.enum(['self-hosted', 'cloud']),
        containers: z.boolean().describe('Compose files and images run on this machine only when it has Docker.'),
        notices: z.array(z.string()).describe('What the instance owner should know about this machine.'),
      }),
    ),
    handle: async ({ caller }) =>
      okItem({ version, mode, containers, notices: caller.isInstanceOwner ? await notices() : [] }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/instance/connection',
    permission: 'public',
    summary: 'Encryption of the connection to the dashboard',
    description: 'Until the dashboard has a certificate, it also responds over plain HTTP.',
    output: itemResponse(Connection),
    handle: async ({ isSecure }) => okItem({ certificate: isSecure ? null : await options.certificateProgress() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    permission: 'public',
    summary: 'OpenAPI 3.1 document of this API',
    contentType: 'application/json; charset=utf-8',
    output: z.string(),
    handle: madeOnce(() => readFileSync(options.openApiFile, 'utf8')),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/docs',
    permission: 'public',
    summary: 'Reference of this API',
    contentType: 'text/html; charset=utf-8',
    output: z.string(),
    handle: madeOnce(() => docsPage(JSON.parse(readFileSync(options.openApiFile, 'utf8')))),
  }),
];
