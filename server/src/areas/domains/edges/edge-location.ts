import { isIP } from 'node:net';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { edgeUrl } from '../../../drivers/edge/url.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import type { ServerOfProjects } from './store.ts';

/** An edge, and the facts about it that need no connection. */
export interface EdgeLocation {
  /** Null for this machine. */
  serverId: string | null;
  /** As shown to users: `this machine`, `the server web`. */
  machine: string;
  /** Domain below which projects there get free names. */
  baseDomain: string;
  url: Edge['url'];
  /** Addresses that domains have to point to, as far as known. */
  addresses(): Promise<readonly string[]>;
  /** Does not connect yet. */
  edge(): Promise<Edge>;
}

/** Returns the public port of an edge. */
export const portOf = ({ url }: Pick<EdgeLocation, 'url'>, { secure }: { secure: boolean }): number =>
  Number(new URL(url('x', { secure })).port || (secure ? 443 : 80));

type Here = { edge: Edge; baseDomain: string; addresses: () => readonly string[] };

export const localEdgeLocation = ({ edge, baseDomain, addresses }: Here): EdgeLocation => ({
  serverId: null,
  machine: 'this machine',
  baseDomain,
  url: (host, options) => edge.url(host, options),
  addresses: async () => addresses(),
  edge: async () => edge,
});

type There = { baseDomain: string; resolver: NameResolver; edge: () => Promise<Edge> };

/** From the stored server: its edge listens on the ports that Mooring configured. */
export const serverEdgeLocation = (server: ServerOfProjects, { baseDomain, resolver, edge }: There): EdgeLocation => ({
  serverId: server.id,
  machine: `the server ${server.name}`,
  baseDomain: server.baseDomain ?? baseDomain,
  url: (host, { secure } = { secure: false }) =>
    secure ? edgeUrl('https', host, server.edgeTlsPort ?? 443) : edgeUrl('http', host, server.edgePort ?? 80),
  async addresses() {
    const host = server.host ?? '';
    if (isIP(host)) return [host];
    // The host does not resolve from here, but it may for the user.
    return resolver.resolve(host).catch(() => [host]);
  },
  edge,
});
