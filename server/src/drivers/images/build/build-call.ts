import type { BuildPlan } from './plan.ts';

type Values = Record<string, string | number | boolean | object>;

/** The address of a build. A line for `/etc/hosts` stands there once for each of them, unlike all else. */
export function buildPath(values: Values, hosts: string[]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const host of hosts) search.append('extrahosts', host);
  return `/build?${search.toString()}`;
}

/** What both builders understand alike. */
export const sharedValues = ({ image, target, cache, freshBases, network, shmBytes }: BuildPlan): Values => ({
  t: image,
  ...(target !== undefined && { target }),
  nocache: !cache,
  pull: freshBases,
  networkmode: network,
  ...(shmBytes !== undefined && { shmsize: shmBytes }),
});

/** As engines read it: everything after the first colon is the address. */
export const hostLines = ({ extraHosts }: BuildPlan): string[] =>
  extraHosts.map(({ host, address }) => `${host}:${address}`);
