import { isIP } from 'node:net';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { edgeUrl } from '../../../drivers/edge/url.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import type { ServerOfProjects } from './store.ts';

/** An edge, and what is known of it without asking it. */
export interface EdgeLocation {
  /** Null for that of this machine. */
  serverId: string | null;
  /** As people are told: `this machine`, `the server web`. */
  machine: string;
  /** Free names of projects there are below it. */
  baseDomain: string;
  url: Edge['url'];
  /** Where names have to lead to, as far as that is known. */
  addresses(): Promise<readonly string[]>;
  /** Nothing is reached by asking for it. */
  edge(): Promise<Edge>;
}

/** Where visitors come in. */
export const portOf = ({ url }: Pick<EdgeLocation, 'url'>, { secure }: { secure: boolean }): number =>
  Number(new URL(url('x', { secure })).port || (secure ? 443 : 80));

type Here = { edge: Edge; baseDomain: string; addresses: readonly string[] };

export const localEdgeLocation = ({ edge, baseDomain, addresses }: Here): EdgeLocation => ({
  serverId: null,
  machine: 'this machine',
  baseDomain,
  url: (host, options) => edge.url(host, options),
  addresses: async () => addresses,
  edge: async () => edge,
});

type There = { baseDomain: string; resolver: NameResolver; edge: () => Promise<Edge> };

/** By what is stored of the server: where its edge listens is what it was told. */
export const serverEdgeLocation = (server: ServerOfProjects, { baseDomain, resolver, edge }: There): EdgeLocation => ({
  serverId: server.id,
  machine: `the server ${server.name}`,
  baseDomain: server.baseDomain ?? baseDomain,
  url: (host, { secure } = { secure: false }) =>
    secure ? edgeUrl('https', host, server.edgeTlsPort ?? 443) : edgeUrl('http', host, server.edgePort ?? 80),
  async addresses() {
    const host = server.host ?? '';
    if (isIP(host)) return [host];
    // Where we find no address people may know one all the same.
    return resolver.resolve(host).catch(() => [host]);
  },
  edge,
});
