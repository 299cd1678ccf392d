import { isIP } from 'node:net';
import { GitError, isSshAddress } from './git.ts';
import { isAllowed, OutboundError, type Reach, resolveOutbound } from './outbound.ts';

type Environment = Record<string, string>;

/** The environment of git, bound to the addresses that were checked: a name cannot mean another one when git asks, and no
 * answer sends it elsewhere. Throws a `GitError` for what we do not go to. */
export async function withinReach(environment: Environment, url: string, reach: Reach): Promise<Environment> {
  const { host, port } = hostOf(url);
  if (reach === 'private') {
    // Names may be known to a proxy alone, but there are addresses that nobody goes to.
    if (isIP(host) && !isAllowed(host, reach)) throw new GitError(`${host} is an address that is not connected to`);
    return environment;
  }
  const addresses = await resolveOutbound(host, reach).catch((error: unknown) => {
    throw error instanceof OutboundError ? new GitError(error.message) : error;
  });
  if (isSshAddress(url)) return overSsh(environment, host, addresses[0]!);
  const settings = [
    // Also keeps it from repositories that one says the rest is in.
    ['http.followRedirects', 'false'],
    ...(isIP(host) ? [] : [['http.curloptResolve', `${host}:${port}:${addresses.map(bracketed).join(',')}`]]),
  ];
  return { ...environment, ...asConfig(settings) };
}

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

function hostOf(url: string): { host: string; port: string } {
  if (!url.includes('://')) return { host: /^[^@]+@([^:]+):/.exec(url)?.[1] ?? '', port: '22' };
  const { hostname, port, protocol } = new URL(url);
  const usual: Record<string, string> = { 'http:': '80', 'https:': '443', 'ssh:': '22' };
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || usual[protocol]! };
}

/** A name has letters, digits, dots and dashes; an address, digits, letters and colons: nothing that a shell reads. */
function overSsh(environment: Environment, host: string, address: string): Environment {
  if (!/^[A-Za-z0-9.:-]+$/.test(host)) throw new GitError(`${host} is no name of a host`);
  const command = `${environment['GIT_SSH_COMMAND']} -o HostName=${address} -o HostKeyAlias=${host}`;
  return { ...environment, GIT_SSH_COMMAND: command };
}

const asConfig = (settings: string[][]): Environment => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([name, value], i) => [
      [`GIT_CONFIG_KEY_${i}`, name!],
      [`GIT_CONFIG_VALUE_${i}`, value!],
    ]),
  ),
});
