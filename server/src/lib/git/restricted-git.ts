import { GitError, isSshAddress } from './git.ts';
import { checkBehindProxy, GitProxy } from './proxy.ts';
import { connectOutbound, isAllowed, OutboundError, type OutboundReach, resolveOutbound } from '../outbound.ts';
import { type EnvironmentVariables, hasOtherProxy, proxyFor } from '../proxy-settings.ts';

const connectMs = 15_000;

/** Runs git in an environment that restricts it to checked addresses, including redirects and later requests. Throws
 * a `GitError` for a forbidden address. */
export async function withRestrictedGit<T>(
  environment: EnvironmentVariables,
  url: string,
  reach: OutboundReach,
  act: (environment: EnvironmentVariables) => Promise<T>,
): Promise<T> {
  if (isSshAddress(url)) return act(await overSsh(environment, url, reach));
  const target = new URL(url);
  const isProxied = proxyFor(target, environment) !== undefined;
  // Checked before git starts, for a clear error.
  await asGitError<unknown>(isProxied ? checkBehindProxy(target, reach) : resolveOutbound(target.hostname, reach));
  // Git talks to such a proxy directly, so redirects cannot be checked: none is followed.
  if (hasOtherProxy(target, environment))
    return act({ ...environment, ...asConfig([['http.followRedirects', 'false']]) });
  const proxy = await GitProxy.open(reach, environment);
  try {
    return await act({
      ...environment,
      // Git would bypass the proxy for these hosts.
      no_proxy: '',
      NO_PROXY: '',
      ...asConfig([
        ['http.proxy', proxy.url],
        ['http.proxyAuthMethod', 'basic'],
      ]),
    });
  } catch (error) {
    throw error instanceof GitError && proxy.problem ? new GitError(proxy.problem) : error;
  } finally {
    proxy.close();
  }
}

/** Makes ssh connect to the checked address. The host key is looked up by name, plus the port if it is not 22. */
async function overSsh(
  environment: EnvironmentVariables,
  url: string,
  reach: OutboundReach,
): Promise<EnvironmentVariables> {
  const { host, port } = sshHostOf(url);
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) throw new GitError(`${host} is not a valid host name`);
  const addresses = await asGitError(resolveOutbound(host, reach));
  const address = addresses.length > 1 ? await answering(host, port, reach) : addresses[0]!;
  const alias = port === 22 ? host : `[${host}]:${port}`;
  // Git passes this to a shell: names and addresses contain nothing special inside quotes.
  const command = `${environment['GIT_SSH_COMMAND']} -o HostName=${address} -o 'HostKeyAlias=${alias}'`;
  return { ...environment, GIT_SSH_COMMAND: command };
}

/** Of several addresses, returns one that accepts connections, as ssh itself would. */
async function answering(host: string, port: number, reach: OutboundReach): Promise<string> {
  const socket = await asGitError(connectOutbound({ host, port, reach }, { deadlineMs: connectMs }));
  const address = socket.remoteAddress;
  socket.destroy();
  if (!address || !isAllowed(address, reach)) throw new GitError(`${host}:${port} ended the connection`);
  return address;
}

function sshHostOf(url: string): { host: string; port: number } {
  if (!url.includes('://')) return { host: /^[^@]+@([^:]+):/.exec(url)?.[1] ?? '', port: 22 };
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 22) };
}

const asGitError = <T>(promise: Promise<T>): Promise<T> =>
  promise.catch((error: unknown) => {
    throw error instanceof OutboundError ? new GitError(error.message) : error;
  });

const asConfig = (settings: string[][]): EnvironmentVariables => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, name!],
      [`GIT_CONFIG_VALUE_${i}`, value!],
    ]),
  ),
});
