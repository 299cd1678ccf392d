import createFetchClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

export type Schemas = components['schemas'];
export type { paths } from './api.ts';
export { type ServerEvent, serverEvents } from './server-events.ts';

type Options = {
  /** Where the instance is; the same origin by default. */
  baseUrl?: string;
  token?: string;
  /** The organization that a session acts in; a token is bound to one. */
  organizationId?: () => string | undefined;
  /** What the sign-in answered, for requests by cookie. */
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

/** The error body of the API, thrown. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: { field: string; message: string }[];
  /** What the log of the service calls the request; null where something else answered. */
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

/** The data of an answer, or its error thrown. */
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
