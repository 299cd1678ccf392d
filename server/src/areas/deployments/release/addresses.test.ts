import { describe, expect, it } from 'vitest';
import type { DomainNames, CustomDomain } from '../../domains/release-names.ts';
import { addressesOf, areSameRoutes, routesAt, routesStillOwned, urlsOfAddresses } from './addresses.ts';

const own = (name: string, change: Partial<CustomDomain> = {}): CustomDomain => ({
  name,
  service: null,
  path: '/',
  redirectTo: null,
  isPrimary: false,
  https: 'redirect',
  hstsSeconds: null,
  problem: null,
  isUnresolved: false,
  ...change,
});
const namesOf = (list: CustomDomain[], secure: string[] = []): DomainNames => ({
  own: list,
  hasLabel: (label) => label !== 'taken',
  isSecure: (host) => secure.includes(host),
  isInstance: (host) => host === 'panel.localhost',
});
const app = [{ service: null, host: 'shop.localhost', isPrimary: true }];
const stack = [
  { service: 'web', host: 'shop.localhost', isPrimary: true },
  { service: 'api', host: 'api.shop.localhost', isPrimary: false },
];
const baseDomain = 'localhost';
const edge = { url: (host: string, { secure } = { secure: false }) => `${secure ? 'https' : 'http'}://${host}` };
const at = (
  usual: typeof app | typeof stack,
  wanted: Parameters<typeof addressesOf>[1]['wanted'],
  names = namesOf([]),
) =>
  addressesOf(usual, { baseDomain, wanted, names }).map(({ host, path, service }) =>
    [service ?? '', `${host}${path}`].join(' ').trim(),
  );

describe('addresses of a release', () => {
  it('default to the name of the project', () => {
    expect(at(app, [])).toEqual(['shop.localhost/']);
    expect(at(app, [{ port: 3000 }])).toEqual(['shop.localhost/']);
    expect(at(stack, [])).toEqual(['web shop.localhost/', 'api api.shop.localhost/']);
  });

  it("follow the endpoints below the instance's domain", () => {
    expect(at(app, [{ domain: 'store' }])).toEqual(['store.localhost/']);
    expect(at(app, [{ domain: 'store.localhost', targetPath: '/docs' }])).toEqual(['store.localhost/docs']);
    // An earlier release had the name, and another project has taken it since.
    expect(at(app, [{ domain: 'taken.localhost', targetPath: '/docs' }])).toEqual(['shop.localhost/']);
    expect(at(stack, [{ service: 'api', targetPath: '/api' }])).toEqual([
      'web shop.localhost/',
      'api shop.localhost/api',
    ]);
  });

  it("never include the instance's own address", () => {
    const panel = [{ service: null, host: 'panel.localhost', isPrimary: true }];
    expect(at(panel, [])).toEqual([]);
    expect(at(panel, [], namesOf([own('a.example.com')]))).toEqual(['a.example.com/']);
    expect(at(app, [{ domain: 'panel' }])).toEqual(['shop.localhost/']);
    const route = { path: '/', deploymentId: 'd', target: { type: 'upstream', host: 'x', port: 1 } } as const;
    const kept = routesStillOwned(
      ['panel.localhost', 'shop.localhost'].map((host) => ({ ...route, host })),
      namesOf([]),
      baseDomain,
    );
    expect(kept.map(({ host }) => host)).toEqual(['shop.localhost']);
  });

  it('include custom domains, the primary one first', () => {
    const names = namesOf([own('a.example.com'), own('b.example.com', { isPrimary: true })]);
    expect(at(app, [], names)).toEqual(['b.example.com/', 'shop.localhost/', 'a.example.com/']);
    expect(at(stack, [], namesOf([own('a.example.com', { service: 'api' })]))).toEqual([
      'web shop.localhost/',
      'api api.shop.localhost/',
      'api a.example.com/',
    ]);
  });

  it('split one domain by path between services, and drop domains that the project has lost', () => {
    const wanted = [
      { service: 'web', customDomain: 'example.com' },
      { service: 'api', customDomain: 'example.com', targetPath: '/api' },
      { service: 'api', customDomain: 'lost.example.com' },
    ];
    expect(at(stack, wanted, namesOf([own('example.com', { isPrimary: true })]))).toEqual([
      'web example.com/',
      'api example.com/api',
      'web shop.localhost/',
      'api api.shop.localhost/',
    ]);
  });

  it('follow domainType if both kinds are given', () => {
    const names = namesOf([own('example.com')]);
    expect(at(app, [{ domain: 'store', customDomain: 'example.com', domainType: 'free' }])).toEqual([
      'store.localhost/',
    ]);
    expect(at(app, [{ domain: 'example.com', domainType: 'custom' }], names)).toEqual([
      'shop.localhost/',
      'example.com/',
    ]);
  });

  it("become routes, with redirects to the other domain's URL", () => {
    const names = namesOf(
      [
        own('example.com', { hstsSeconds: 60 }),
        own('www.example.com', { redirectTo: 'example.com', https: 'optional' }),
      ],
      ['example.com'],
    );
    const target = { type: 'upstream' as const, host: '127.0.0.1', port: 3000 };
    const addresses = addressesOf(app, { baseDomain, wanted: [], names });
    const routes = routesAt(addresses, { deploymentId: 'dep_1', target }, { names, edge });
    expect(routes).toEqual([
      { host: 'shop.localhost', path: '/', deploymentId: 'dep_1', target, https: 'redirect' },
      { host: 'example.com', path: '/', deploymentId: 'dep_1', target, https: 'redirect', hstsSeconds: 60 },
      {
        host: 'www.example.com',
        path: '/',
        deploymentId: 'dep_1',
        target: { type: 'redirect', to: 'https://example.com', status: 308 },
      },
    ]);
    expect(urlsOfAddresses(addresses, { names, edge })).toEqual(['http://shop.localhost', 'https://example.com']);
    const lost = own('a.example.com', { isPrimary: true, isUnresolved: true });
    const withLost = addressesOf(app, { baseDomain, wanted: [], names: namesOf([lost]) });
    expect(urlsOfAddresses(withLost, { names: namesOf([lost]), edge })).toEqual([
      'http://shop.localhost',
      'http://a.example.com',
    ]);
    const secure = { names: namesOf([lost], ['a.example.com']), edge };
    expect(urlsOfAddresses(withLost, secure)[0]).toBe('https://a.example.com');
    const less = namesOf([own('example.com')]);
    expect(routesStillOwned(routes, less, baseDomain).map(({ host }) => host)).toEqual([
      'shop.localhost',
      'example.com',
    ]);
    expect(areSameRoutes(routes, routes.toReversed())).toBe(true);
    const elsewhere = { type: 'redirect' as const, to: 'https://other.example.com', status: 308 as const };
    for (const change of [{ path: '/docs' }, { hstsSeconds: 1 }, { target: elsewhere }, { deploymentId: 'dep_2' }])
      expect(areSameRoutes(routes, [...routes.slice(0, 2), { ...routes[2]!, ...change }])).toBe(false);
    const guarded = { ...target, listener: { uid: 1 } };
    expect(areSameRoutes(routes, [{ ...routes[0]!, target: guarded }, ...routes.slice(1)])).toBe(false);
  });
});
