import createFetchClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

export type Schemas = components['schemas'];
export type { paths } from './api.ts';
export { keepsCrashing } from './crash-loop.ts';
export { type EnvEntry, looksSecret, parseEnvFile, readEnvFile } from './env-file.ts';
export { formatBytes } from './format-bytes.ts';
export { type ServerEvent, serverEvents } from './server-events.ts';

type Options = {
  /** The instance's address; the same origin by default. */
  baseUrl?: string;
  token?: string;
  /** The organization that a session acts in; a token is bound to one. */
  organizationId?: () => string | undefined;
  /** From the sign-in response, for requests with a cookie. */
  sessionProof?: () => string | undefined;
};

/** A typed client of the API: `client.GET('/api/me')`. */
export function createClient({ baseUrl = '', token, organizationId, sessionProof }: Options = {}) {
  const client = createFetchClient<paths>({ baseUrl });
  client.use({
    onRequest({ request }) {
      if (token) request.headers.set('authorization', `Bearer ${token}`);
      const organization = organizationId?.();
      if (organization) request.headers.set('x-organization-id', organization);
      const proof = sessionProof?.();
      if (proof) request.headers.set('x-session-proof', proof);
      return request;
    },
  });
  return client;
}

export type Client = ReturnType<typeof createClient>;

/** An error response of the API. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: { field: string; message: string }[];
  /** The request's id in the service's log; null if another server responded. */
  readonly requestId: string | null;

  constructor(status: number, body: Partial<Schemas['Error']> | undefined, requestId: string | null = null) {
    super([body?.error, body?.message].filter(Boolean).join(': ') || `the service answered ${status}`);
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.details = body?.details ?? [];
    this.requestId = requestId;
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** Returns the data of a response, or throws its error. */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok || data === undefined)
    throw new ApiError(
      response.status,
      error as Partial<Schemas['Error']> | undefined,
      response.headers.get('x-request-id'),
    );
  return data;
}
