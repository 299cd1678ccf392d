import { type Client, createClient } from '@mooring/client';
import { checkedToken, readLogin } from './login-file.ts';
import { Failure, unreachable, UsageError } from './errors.ts';
import { version } from './version.ts';

export const defaultUrl = 'http://127.0.0.1:4600';

/** A Mooring instance and our credentials. */
export interface Instance {
  url: string;
  token?: string | undefined;
  /** A session, used only during a sign-in with a password. */
  session?: { cookie: string; proof: string };
}

/** A stored token is sent only to its own instance. */
export function findInstance(givenUrl: string | undefined): Instance {
  const { MOORING_URL, MOORING_TOKEN } = process.env;
  const named = givenUrl ?? (MOORING_URL || undefined);
  const stored = named && MOORING_TOKEN ? undefined : readLogin();
  const url = instanceUrl(named ?? stored?.url ?? defaultUrl);
  if (MOORING_TOKEN) return { url, token: checkedToken(MOORING_TOKEN, 'MOORING_TOKEN') };
  return { url, token: stored?.url === url ? stored.token : undefined };
}

export function instanceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`${text} is not an address such as ${defaultUrl}`);
  if (url.pathname !== '/' || url.search || url.username || url.password)
    throw new UsageError(`the address of an instance is scheme, host and port only: ${url.origin}`);
  return url.origin;
}

/** Returns the typed client; fails without a login. */
export function signedInClient(instance: Instance): Client {
  if (!instance.token) throw new Failure(`you are not logged in at ${instance.url}; run: mooring login`);
  return clientOf(instance);
}

export function clientOf(instance: Instance): Client {
  const client = createClient({ baseUrl: instance.url });
  client.use({
    onRequest: ({ request }) => new Request(request, requestInit(instance, request.headers)),
    onResponse: ({ response }) => refuseRedirect(instance, response),
    onError: ({ error }) => unreachable(instance.url, error),
  });
  return client;
}

/** Sends a raw authenticated request, for `mooring api`. */
export async function sendRequest(instance: Instance, target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, { ...init, ...requestInit(instance, new Headers(init.headers)) });
  } catch (error) {
    throw unreachable(instance.url, error);
  }
}

function requestInit({ token, session }: Instance, headers: Headers): RequestInit {
  headers.set('user-agent', `mooring-cli/${version}`);
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (session) {
    headers.set('cookie', session.cookie);
    headers.set('x-session-proof', session.proof);
  }
  return { headers, redirect: 'manual' };
}

/** Following a redirect could leak a password or token to another host. */
function refuseRedirect({ url }: Instance, response: Response): void {
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location)
    throw new Failure(`${url} redirects to ${new URL(location, url).origin}; use that address if you trust it`);
}
