import type { ComposeService } from '../../../../compose/index.ts';
import { parsePort } from './web-ports.ts';

/** What a service says to a proxy or platform: that it is public, and mostly its port. */
export interface PublicHint {
  port: number | null;
  reason: string;
}

type Hinting = Pick<ComposeService, 'labels' | 'environment'>;

/** Returns why a service is meant to be public; undefined if it does not say so. */
export function publicHint(service: Hinting): PublicHint | undefined {
  return fromTraefik(service) ?? fromCaddy(service) ?? fromNginxProxy(service) ?? fromServiceUrl(service);
}

const valueOf = (record: Record<string, string | null>, pattern: RegExp): string | undefined => {
  const key = Object.keys(record).find((each) => pattern.test(each));
  return key === undefined ? undefined : (record[key] ?? '');
};

function fromTraefik({ labels }: Hinting): PublicHint | undefined {
  if (/^(false|0|no)$/i.test(labels['traefik.enable'] ?? '')) return undefined;
  const port = valueOf(labels, /^traefik\.(http\.services\.[^.]+\.loadbalancer\.server\.port|port)$/i);
  const rule = valueOf(labels, /^traefik\.(http\.routers\.[^.]+\.rule|frontend\.rule)$/i);
  // The dashboard of Traefik itself.
  const isInternal = Object.values(labels).includes('api@internal');
  if ((port ?? rule) === undefined || isInternal) return undefined;
  return { port: parsePort(port), reason: 'its Traefik labels make it public' };
}

function fromCaddy({ labels }: Hinting): PublicHint | undefined {
  const upstream = valueOf(labels, /^caddy(_\d+)?(\.[^.]+)?\.reverse_proxy$/i);
  if ((upstream ?? valueOf(labels, /^caddy(_\d+)?$/i)) === undefined) return undefined;
  return {
    port: parsePort(/\bupstreams\s+(\d+)/.exec(upstream ?? '')?.[1]),
    reason: 'its Caddy labels make it public',
  };
}

function fromNginxProxy({ environment }: Hinting): PublicHint | undefined {
  const key = ['VIRTUAL_HOST', 'VIRTUAL_PORT', 'LETSENCRYPT_HOST'].find((each) => Object.hasOwn(environment, each));
  if (key === undefined) return undefined;
  return { port: parsePort(environment['VIRTUAL_PORT']), reason: `its variable ${key} makes it public` };
}

/** `SERVICE_FQDN_WEB_3000` or `SERVICE_URL_WEB`, as Coolify has them. */
function fromServiceUrl({ environment }: Hinting): PublicHint | undefined {
  const keys = Object.keys(environment).filter((key) => /^SERVICE_(FQDN|URL)_[A-Z0-9_-]+$/i.test(key));
  const withPort = keys.find((key) => /_\d{2,5}$/.test(key));
  const key = withPort ?? keys[0];
  return key === undefined
    ? undefined
    : { port: parsePort(/_(\d{2,5})$/.exec(key)?.[1]), reason: `its variable ${key} makes it public` };
}
