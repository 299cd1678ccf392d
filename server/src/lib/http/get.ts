import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** An address that cannot be requested at all. */
export class AddressError extends Error {
  override name = 'AddressError';
}

type Options = {
  method?: 'GET' | 'HEAD';
  headers?: Record<string, string>;
  /** Its proxy settings apply (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`). */
  environment: Record<string, string | undefined>;
  signal: AbortSignal;
  /** How long the other side may send nothing. */
  stalledMs: number;
};

const mostRedirects = 5;

/** Requests an address of the operator, and follows redirects. `fetch` uses no proxy. */
export async function httpGet(url: URL, options: Options): Promise<IncomingMessage> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await once(at, options);
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode!) || !location) return response;
    response.resume();
    at = new URL(location, at);
  }
  throw new AddressError(`${url.href} redirects more than ${mostRedirects} times`);
}

function once(url: URL, { method = 'GET', headers, environment, signal, stalledMs }: Options) {
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') throw new AddressError(`${url.href} is not an HTTP address`);
  const proxyEnv = proxiesOf(environment);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const stalled = () => Object.assign(new Error(`no data for ${stalledMs / 1000} s`), { code: 'ETIMEDOUT' });
    const [send, agent] = isSecure
      ? [requestHttps, new HttpsAgent({ proxyEnv })]
      : [requestHttp, new HttpAgent({ proxyEnv })];
    const all = { 'user-agent': 'mooring', ...headers };
    const request = send(url, { method, headers: all, signal, agent, timeout: stalledMs }, resolve);
    request.once('error', reject).once('timeout', () => request.destroy(stalled()));
    request.end();
  });
}

/** Node itself does not know `ALL_PROXY`. */
function proxiesOf(environment: Options['environment']): Record<string, string | undefined> {
  const forAll = environment['all_proxy'] ?? environment['ALL_PROXY'];
  const named = Object.entries(environment).filter(([name, value]) => /^(https?|no)_proxy$/i.test(name) && value);
  const proxies = Object.fromEntries(named);
  if (!forAll) return proxies;
  const has = (name: string) => name in proxies || name.toUpperCase() in proxies;
  for (const name of ['http_proxy', 'https_proxy']) if (!has(name)) proxies[name] = forAll;
  return proxies;
}
