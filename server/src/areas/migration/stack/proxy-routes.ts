import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import { safeText } from './safe-text.ts';

/** A host name that a proxy on the server routes, by labels or variables. */
export interface ProxyRoute {
  host: string;
  path: string | null;
  port: number | null;
  proxy: 'traefik' | 'nginx-proxy' | 'caddy';
}

const mostRoutes = 50;
const mostText = 2000;

/** Returns the routes of Traefik, nginx-proxy and Caddy's Docker proxy. */
export function proxyRoutes({ Config: { Labels: labels, Env: env } }: ContainerFacts): ProxyRoute[] {
  const found = [...traefik(labels), ...nginxProxy(env), ...caddy(labels)];
  const unique = new Map(found.map((route) => [`${route.proxy} ${route.host}${route.path ?? ''}`, route]));
  return [...unique.values()].slice(0, mostRoutes);
}

type Labels = Readonly<Record<string, string>>;

function traefik(labels: Labels): ProxyRoute[] {
  const entries = Object.entries(labels).map(([key, value]) => [key.toLowerCase(), value.slice(0, mostText)] as const);
  const port = entries.find(
    ([key]) => /^traefik\.(http|tcp)\.services\.[^.]+\.loadbalancer\.server\.port$/.test(key) || key === 'traefik.port',
  );
  const rules = entries.filter(([key]) => /^traefik\.(http\.routers\.[^.]+\.rule|frontend\.rule)$/.test(key));
  return rules.flatMap(([, rule]) => {
    const path = valuesIn(rule, /\bPath(?:Prefix)?(?:\(([^)]*)\)|:([^;]*))/g)[0] ?? null;
    return valuesIn(rule, /\bHost(?:\(([^)]*)\)|:([^;]*))/g).map((host) => route('traefik', host, path, port?.[1]));
  });
}

/** ``Host(`a.example`, `b.example`)``, and `Host:a.example,b.example` of Traefik 1. */
const valuesIn = (rule: string, pattern: RegExp): string[] =>
  [...rule.matchAll(pattern)].flatMap(([, inside, older]) =>
    (inside ?? older ?? '')
      .split(',')
      .map((text) => text.trim().replaceAll(/^[`'"]|[`'"]$/g, ''))
      .filter(Boolean),
  );

function nginxProxy(env: readonly string[]): ProxyRoute[] {
  const value = (key: string) => env.find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1, mostText);
  const hosts = (value('VIRTUAL_HOST') ?? '').split(',').map((each) => each.trim());
  return hosts
    .filter(Boolean)
    .map((host) => route('nginx-proxy', host, value('VIRTUAL_PATH') ?? null, value('VIRTUAL_PORT')));
}

/** `caddy=example.com`, `caddy_0=https://a.example, b.example/path`, `caddy.reverse_proxy={{upstreams 8080}}`. */
function caddy(labels: Labels): ProxyRoute[] {
  return Object.entries(labels)
    .filter(([key]) => /^caddy(_\d+)?$/.test(key))
    .flatMap(([key, sites]) => {
      const [, port] =
        /upstreams[^}\d]{0,20}(\d{1,5})/.exec((labels[`${key}.reverse_proxy`] ?? '').slice(0, mostText)) ?? [];
      return sites
        .slice(0, mostText)
        .split(/[\s,]+/)
        .map((site) => site.replace(/^https?:\/\//, ''))
        .filter((site) => site && !site.startsWith('('))
        .map((site) => {
          const slash = site.indexOf('/');
          const [host, path] = slash < 0 ? [site, null] : [site.slice(0, slash), site.slice(slash)];
          return route('caddy', host, path, port);
        });
    });
}

function route(proxy: ProxyRoute['proxy'], host: string, path: string | null, port: string | undefined): ProxyRoute {
  const number = Number(port);
  const isPort = Number.isInteger(number) && number > 0 && number < 65_536;
  return {
    proxy,
    host: safeText(host, 255),
    path: path === null ? null : safeText(path, 255),
    port: isPort ? number : null,
  };
}
