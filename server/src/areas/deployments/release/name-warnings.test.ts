import { expect, it } from 'vitest';
import type { DomainNames, CustomDomain } from '../../domains/release-names.ts';
import { emptyConfig } from '../stack/read/stack-rig.ts';
import type { StepContext } from '../model/step.ts';
import { warnAboutNames } from './name-warnings.ts';
import { warningsOfApp } from '../stack/detect.ts';

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
type Wanted = NonNullable<StepContext['config']['publicEndpoints']>;

function told(
  list: CustomDomain[],
  { services, wanted = [] }: { services?: string[]; wanted?: Wanted } = {},
): string[] {
  const lines: string[] = [];
  const context = {
    log: (line: string, level?: string) => void lines.push(`${level}: ${line}`),
    config: { ...emptyConfig, slug: 'shop', publicEndpoints: wanted },
    deployment: { environment: 'production' },
    parts: { baseDomain: 'apps.example' },
  } as unknown as StepContext;
  const names: DomainNames = {
    own: list,
    hasLabel: () => true,
    isSecure: () => false,
    isInstance: (host) => ['shop.apps.example', 'panel.example.com'].includes(host) && list.length > 1,
  };
  warnAboutNames(context, names, services);
  return lines;
}

it('does not warn about domains that are served', () => {
  expect(told([own('a.example.com', { service: 'api' })], { services: ['web', 'api'] })).toEqual([]);
  // An app serves a domain whatever service it names.
  expect(told([own('a.example.com', { service: 'api' })])).toEqual([]);
});

it("warns about domains that are unreachable, unserved, the instance's own or not the project's", () => {
  expect(told([own('a.example.com', { problem: 'no address' })])).toEqual([
    'warn: a.example.com is not reachable yet: no address',
  ]);
  expect(told([own('a.example.com', { service: 'old' })], { services: ['web', 'api'] })).toEqual([
    expect.stringMatching(/^warn: a\.example\.com is not served: there is no service old \(services: web, api\)/),
  ]);
  expect(told([own('a.example.com'), own('panel.example.com')])).toEqual([
    expect.stringContaining('shop.apps.example is the address of this instance itself'),
    expect.stringContaining('panel.example.com is the address of this instance itself'),
  ]);
  expect(
    told([own('a.example.com')], { wanted: [{ customDomain: 'a.example.com' }, { customDomain: 'b.example.com' }] }),
  ).toEqual([expect.stringContaining('b.example.com in publicEndpoints is not a domain of this environment')]);
});

it('warns about endpoints that a single app cannot have', () => {
  expect(warningsOfApp({ publicEndpoints: [{ port: 3000 }, { port: 3000, targetPath: '/x' }] })).toEqual([]);
  expect(
    warningsOfApp({
      publicEndpoints: [
        { service: 'web', port: 80 },
        { service: 'api', port: 3000 },
      ],
    }),
  ).toEqual([expect.stringContaining('the ports 80, 3000'), expect.stringContaining('name web, api')]);
});
