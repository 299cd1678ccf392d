import type { Edge, EdgeRoute, EdgeTarget, Upstream } from '../../../drivers/edge/edge.ts';
import type { DomainNames, CustomDomain } from '../../domains/port.ts';
import type { DeploymentConfig } from '../model/model.ts';

/** An address of a release and the service behind it. */
export interface ReleaseAddress {
  host: string;
  path: string;
  /** The service of a stack; null for an app. */
  service: string | null;
  https?: 'redirect';
  hstsSeconds?: number;
  /** A host name or an origin to redirect to. */
  redirectTo?: string;
}

/** The default address of a service. */
export interface DefaultAddress {
  service: string | null;
  host: string;
  isPrimary: boolean;
}

type Wanted = NonNullable<DeploymentConfig['publicEndpoints']>[number];
type Deps = { baseDomain: string; wanted: readonly Wanted[]; names: DomainNames };

/** Returns the custom domain that an endpoint asks for; undefined for one below the instance's domain. */
export function customNameOf({ domain, customDomain, domainType }: Wanted): string | undefined {
  if (domainType === 'free') return undefined;
  return customDomain ?? (domainType === 'custom' ? domain : undefined);
}

/** Returns the label below the instance's domain that an endpoint asks for, as written. */
export const freeNameOf = (endpoint: Wanted): string | undefined =>
  customNameOf(endpoint) === undefined ? endpoint.domain : undefined;

/** Returns all labels in the form in which they are reserved. */
export const freeLabels = (wanted: readonly Wanted[], baseDomain: string): string[] =>
  wanted.flatMap((each) => {
    const name = freeNameOf(each);
    return name === undefined ? [] : [labelOf(name, baseDomain)];
  });

/** Returns every address of a release, the primary one first. */
export function addressesOf(usual: readonly DefaultAddress[], deps: Deps): ReleaseAddress[] {
  const primary = usual.find(({ isPrimary }) => isPrimary) ?? usual[0];
  const free = usual.flatMap((each) => freeAddresses(each, primary, deps));
  const asked = usual.flatMap((each) => askedAddresses(each, deps));
  const named = new Set(asked.map(({ host }) => host));
  const others = deps.names.own
    .filter(({ name }) => !named.has(name))
    .flatMap((name) => (primary ? [ownAddress(name, primary.service)] : []));
  const isFirst = ({ host }: ReleaseAddress) =>
    deps.names.own.some(({ name, isPrimary }) => isPrimary && name === host);
  const own = [...asked, ...others];
  const all = [...own.filter(isFirst), ...free, ...own.filter((address) => !isFirst(address))];
  return distinct(all.filter(({ host }) => !deps.names.isInstance(host)));
}

const isAbout = ({ service }: Wanted, { service: usual, isPrimary }: DefaultAddress): boolean =>
  service === undefined ? isPrimary : service === usual;

/**
 * Addresses below the instance's domain: those of the endpoints that the project owns, or else the default. An
 * endpoint with only a path is below the project's own address.
 */
function freeAddresses(
  usual: DefaultAddress,
  primary: DefaultAddress | undefined,
  { baseDomain, wanted, names }: Deps,
): ReleaseAddress[] {
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

/** Custom domains of the endpoints that the project still owns. */
function askedAddresses(usual: DefaultAddress, { wanted, names }: Deps): ReleaseAddress[] {
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
  { name, service, path, redirectTo, https, hstsSeconds }: CustomDomain,
  usual: string | null,
): ReleaseAddress => ({
  host: name,
  path,
  service: usual === null ? null : (service ?? usual),
  ...(https === 'redirect' && { https }),
  ...(hstsSeconds !== null && { hstsSeconds }),
  ...(redirectTo !== null && { redirectTo }),
});

/** The first of two identical addresses wins. */
const distinct = (addresses: ReleaseAddress[]): ReleaseAddress[] =>
  [
    ...new Map(addresses.toReversed().map((address) => [`${address.host}${address.path}`, address])).values(),
  ].toReversed();

type At = { names: DomainNames; edge: Pick<Edge, 'url'> };

/** Returns the edge routes to a running release. */
export function routesAt(
  addresses: readonly ReleaseAddress[],
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

/** Returns the URLs to show, with https where there is a certificate. Domains without a DNS record come last. */
export const urlsOfAddresses = (addresses: readonly ReleaseAddress[], { names, edge }: At): string[] =>
  addresses
    .filter(({ redirectTo }) => redirectTo === undefined)
    .toSorted((one, other) => Number(isUnresolved(one, names)) - Number(isUnresolved(other, names)))
    .map(({ host, path }) => `${edge.url(host, { secure: names.isSecure(host) })}${path === '/' ? '' : path}`);

/** A name with a certificate had a record once, and is not checked again until that is renewed. */
const isUnresolved = ({ host }: ReleaseAddress, names: DomainNames): boolean =>
  names.own.some((each) => each.name === host && each.isUnresolved) && !names.isSecure(host);

/** Returns the routes whose domains still belong to the project. */
export function routesStillOwned(routes: readonly EdgeRoute[], names: DomainNames, baseDomain: string): EdgeRoute[] {
  const hosts = new Set(names.own.map(({ name }) => name));
  return routes.filter(({ host }) => !names.isInstance(host) && (host.endsWith(`.${baseDomain}`) || hosts.has(host)));
}

const textOf = ({ host, path, deploymentId, target, https, hstsSeconds }: EdgeRoute): string => {
  const to = target.type === 'upstream' ? [target, ...(target.others ?? [])].map(placeText) : target;
  return JSON.stringify([host, path, deploymentId, to, https, hstsSeconds]);
};

const placeText = ({ host, port, listener }: Upstream) => [host, port, sorted(listener ?? {})];

const sorted = (value: object): [string, unknown][] => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));

export function areSameRoutes(are: readonly EdgeRoute[], wanted: readonly EdgeRoute[]): boolean {
  const texts = new Set(wanted.map(textOf));
  return are.length === wanted.length && are.every((route) => texts.has(textOf(route)));
}
