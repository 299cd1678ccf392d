import type { Edge, EdgeRoute, EdgeTarget, Upstream } from '../../../drivers/edge/edge.ts';
import type { DomainNames, OwnName } from '../../domains/port.ts';
import type { DeploymentConfig } from '../model/model.ts';

/** Where a release is reached, and what answers there. */
export interface Address {
  host: string;
  path: string;
  /** Which of several services; null for an app. */
  service: string | null;
  https?: 'redirect';
  hstsSeconds?: number;
  /** A name or an origin that visitors are sent to. */
  redirectTo?: string;
}

/** Where something answers as long as nobody says otherwise. */
export interface Usual {
  service: string | null;
  host: string;
  isPrimary: boolean;
}

type Wanted = NonNullable<DeploymentConfig['publicEndpoints']>[number];
type Deps = { baseDomain: string; wanted: readonly Wanted[]; names: DomainNames };

/** The name of the user's own that an endpoint asks for; undefined for one below the instance's domain. */
export function customNameOf({ domain, customDomain, domainType }: Wanted): string | undefined {
  if (domainType === 'free') return undefined;
  return customDomain ?? (domainType === 'custom' ? domain : undefined);
}

/** The label below the instance's domain that an endpoint asks for, as it is written there. */
export const freeNameOf = (endpoint: Wanted): string | undefined =>
  customNameOf(endpoint) === undefined ? endpoint.domain : undefined;

/** All of them, as they are reserved. */
export const freeLabels = (wanted: readonly Wanted[], baseDomain: string): string[] =>
  wanted.flatMap((each) => {
    const name = freeNameOf(each);
    return name === undefined ? [] : [labelOf(name, baseDomain)];
  });

/** Every address of a release. What people open first comes first. */
export function addressesOf(usual: readonly Usual[], deps: Deps): Address[] {
  const primary = usual.find(({ isPrimary }) => isPrimary) ?? usual[0];
  const free = usual.flatMap((each) => freeAddresses(each, primary, deps));
  const asked = usual.flatMap((each) => askedAddresses(each, deps));
  const named = new Set(asked.map(({ host }) => host));
  const others = deps.names.own
    .filter(({ name }) => !named.has(name))
    .flatMap((name) => (primary ? [ownAddress(name, primary.service)] : []));
  const isFirst = ({ host }: Address) => deps.names.own.some(({ name, isPrimary }) => isPrimary && name === host);
  const own = [...asked, ...others];
  const all = [...own.filter(isFirst), ...free, ...own.filter((address) => !isFirst(address))];
  return distinct(all.filter(({ host }) => !deps.names.isInstance(host)));
}

const isAbout = ({ service }: Wanted, { service: usual, isPrimary }: Usual): boolean =>
  service === undefined ? isPrimary : service === usual;

/** Below the instance's domain: as the endpoints say, as far as that is the project's, else where it usually is. A path alone is one
 * of the project's own address. */
function freeAddresses(usual: Usual, primary: Usual | undefined, { baseDomain, wanted, names }: Deps): Address[] {
  const said = wanted.filter((each) => isAbout(each, usual) && customNameOf(each) === undefined);
  const chosen = said.filter(({ domain, targetPath = '/' }) =>
    domain
      ? names.hasLabel(labelOf(domain, baseDomain)) && !names.isInstance(freeHost(domain, baseDomain))
      : targetPath !== '/',
  );
  const { service } = usual;
  if (!chosen.length) return [{ host: usual.host, path: '/', service, https: 'redirect' }];
  return chosen.map(({ domain, targetPath = '/' }) => {
    const host = domain ? freeHost(domain, baseDomain) : (primary ?? usual).host;
    return { host, path: targetPath, service, https: 'redirect' };
  });
}

export const freeHost = (domain: string, baseDomain: string): string =>
  domain.endsWith(`.${baseDomain}`) ? domain : `${domain}.${baseDomain}`;

const labelOf = (domain: string, baseDomain: string): string =>
  freeHost(domain, baseDomain).slice(0, -baseDomain.length - 1);

/** Names of the user's own that the endpoints ask for, as far as they still are the project's. */
function askedAddresses(usual: Usual, { wanted, names }: Deps): Address[] {
  return wanted
    .filter((each) => isAbout(each, usual))
    .flatMap((each) => {
      const own = names.own.find(({ name }) => name === customNameOf(each));
      return own
        ? [{ ...ownAddress(own, usual.service), service: usual.service, path: each.targetPath ?? own.path }]
        : [];
    });
}

const ownAddress = (
  { name, service, path, redirectTo, https, hstsSeconds }: OwnName,
  usual: string | null,
): Address => ({
  host: name,
  path,
  service: usual === null ? null : (service ?? usual),
  ...(https === 'redirect' && { https }),
  ...(hstsSeconds !== null && { hstsSeconds }),
  ...(redirectTo !== null && { redirectTo }),
});

/** Of two that ask for the same one the first has it. */
const distinct = (addresses: Address[]): Address[] =>
  [
    ...new Map(addresses.toReversed().map((address) => [`${address.host}${address.path}`, address])).values(),
  ].toReversed();

type At = { names: DomainNames; edge: Pick<Edge, 'url'> };

/** The routes of the edge that lead to what runs. */
export function routesAt(
  addresses: readonly Address[],
  to: { deploymentId: string; target: EdgeTarget },
  { names, edge }: At,
): EdgeRoute[] {
  const originOf = (text: string) => (text.includes('://') ? text : edge.url(text, { secure: names.isSecure(text) }));
  return addresses.map(({ host, path, https, hstsSeconds, redirectTo }) => ({
    host,
    path,
    deploymentId: to.deploymentId,
    target: redirectTo === undefined ? to.target : { type: 'redirect', to: originOf(redirectTo), status: 308 },
    ...(https && { https }),
    ...(hstsSeconds !== undefined && { hstsSeconds }),
  }));
}

/** What people are told: where they are answered, with TLS where there is a certificate. */
export const urlsOf = (addresses: readonly Address[], { names, edge }: At): string[] =>
  addresses
    .filter(({ redirectTo }) => redirectTo === undefined)
    .map(({ host, path }) => `${edge.url(host, { secure: names.isSecure(host) })}${path === '/' ? '' : path}`);

/** Those routes whose names are the project's still. */
export function stillOwn(routes: readonly EdgeRoute[], names: DomainNames, baseDomain: string): EdgeRoute[] {
  const hosts = new Set(names.own.map(({ name }) => name));
  return routes.filter(({ host }) => !names.isInstance(host) && (host.endsWith(`.${baseDomain}`) || hosts.has(host)));
}

const textOf = ({ host, path, deploymentId, target, https, hstsSeconds }: EdgeRoute): string => {
  const to = target.type === 'upstream' ? [target, ...(target.others ?? [])].map(placeText) : target;
  return JSON.stringify([host, path, deploymentId, to, https, hstsSeconds]);
};

const placeText = ({ host, port, listener }: Upstream) => [host, port, sorted(listener ?? {})];

const sorted = (value: object): [string, unknown][] => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));

export function areSame(are: readonly EdgeRoute[], wanted: readonly EdgeRoute[]): boolean {
  const texts = new Set(wanted.map(textOf));
  return are.length === wanted.length && are.every((route) => texts.has(textOf(route)));
}
