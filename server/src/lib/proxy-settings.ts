export type EnvironmentVariables = Record<string, string>;

/** Returns the proxy that the environment sets for a request, in curl's interpretation; undefined for a direct
 * connection. */
export function proxyFor(
  target: URL,
  environment: EnvironmentVariables,
): { url: URL; headers: Record<string, string> } | undefined {
  const value = configuredProxy(target, environment);
  if (value === undefined) return undefined;
  const url = new URL(value.includes('://') ? value : `http://${value}`);
  const { username, password } = url;
  const proof = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  url.username = url.password = '';
  return { url, headers: username ? { 'proxy-authorization': `Basic ${proof}` } : {} };
}

/** Whether the environment sets a proxy that is not plain HTTP (`socks5://`, `https://`). */
export function hasOtherProxy(target: URL, environment: EnvironmentVariables): boolean {
  const value = configuredProxy(target, environment);
  return value !== undefined && value.includes('://') && !value.startsWith('http://');
}

function configuredProxy({ protocol, hostname }: URL, environment: EnvironmentVariables): string | undefined {
  const named = (...names: string[]) => names.map((name) => environment[name]).find((value) => value);
  const scheme = protocol === 'https:' ? named('https_proxy', 'HTTPS_PROXY') : named('http_proxy');
  const value = scheme ?? named('all_proxy', 'ALL_PROXY');
  return value && !isExcluded(hostname, named('no_proxy', 'NO_PROXY') ?? '') ? value : undefined;
}

/** `no_proxy`: hosts and domains, with or without a leading dot, or `*`. */
function isExcluded(hostname: string, list: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/^\*?\.|\.$/g, '').replace(/^\[(.*)\]$/, '$1'))
    .some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry}`))));
}
