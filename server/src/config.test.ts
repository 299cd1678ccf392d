import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../test/rig/children.ts';
import { configurationPage, dashboardHostOf, outboundReachOf, readConfig, unknownVariables } from './config.ts';
import { defaultDataDir } from './default-data-dir.ts';
import { settings } from './settings.ts';

const at443 = { MOORING_PUBLIC_URL: 'https://m.example.com', MOORING_EDGE_TLS_PORT: '443' };

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 4600,
      host: '127.0.0.1',
      mode: 'self-hosted',
      trustedProxies: [],
      databaseUrl: undefined,
    });
  });

  it('uses /var/lib/mooring for root, unless its home already has data', () => {
    const home = newFolder('home');
    expect(defaultDataDir(true, home)).toBe('/var/lib/mooring');
    expect(defaultDataDir(false, home)).toBe(join(home, '.mooring'));
    mkdirSync(join(home, '.mooring'));
    expect(defaultDataDir(true, home)).toBe('/var/lib/mooring');
    writeFileSync(join(home, '.mooring', 'secret.key'), '');
    expect(defaultDataDir(true, home)).toBe(join(home, '.mooring'));
  });

  it.each([
    [{ ...at443 }, 'm.example.com'],
    [{ MOORING_PUBLIC_URL: 'https://m.example.com', MOORING_EDGE_PUBLIC_TLS_PORT: '443' }, 'm.example.com'],
    [{ MOORING_PUBLIC_URL: 'https://m.example.com:4643' }, 'm.example.com'],
    [{ MOORING_PUBLIC_URL: 'https://m.example.com' }, undefined],
    [{ ...at443, MOORING_PUBLIC_URL: 'https://m.example.com:8443' }, undefined],
    [{ ...at443, MOORING_PUBLIC_URL: 'http://m.example.com:443' }, undefined],
    [{ ...at443, MOORING_PUBLIC_URL: 'https://203.0.113.7' }, undefined],
    [{ ...at443, MOORING_PUBLIC_URL: 'https://[2001:db8::1]' }, undefined],
    [{ ...at443, MOORING_PUBLIC_URL: '' }, undefined],
    [{ ...at443, MOORING_ACME_DIRECTORY: 'none' }, undefined],
    [{ ...at443, MOORING_TRUSTED_PROXIES: '203.0.113.0/24' }, 'm.example.com'],
    [{ ...at443, MOORING_TRUSTED_PROXIES: '203.0.113.0/24,127.0.0.1' }, undefined],
    [{ ...at443, MOORING_TRUSTED_PROXIES: '::1' }, undefined],
  ])('lets the edge serve the dashboard: %j', (env, host) => {
    expect(dashboardHostOf(readConfig(env))).toBe(host);
  });

  it('treats an empty variable as absent', () => {
    expect(readConfig({ PORT: '', MOORING_PUBLIC_URL: '' }).port).toBe(4600);
  });

  it.each([
    ['PORT', 'abc', 'must be a number'],
    ['PORT', '70000', 'must be at most 65535'],
    ['MOORING_PROJECT_UIDS', '0-65535', 'must begin at 1000'],
    ['MOORING_PROCESS_ISOLATION', 'off', 'must be one of auto, none'],
    ['PORT', '1.5', 'must be a whole number'],
    ['MOORING_MODE', 'clod', 'must be one of self-hosted, cloud'],
    ['MOORING_PUBLIC_URL', 'ftp://x', 'must be an http or https URL without a path'],
    ['MOORING_PUBLIC_URL', 'https://x/sub', 'must be an http or https URL without a path'],
    ['DATABASE_URL', 'mysql://x', 'must begin with postgres://'],
    ['MOORING_TRUSTED_PROXIES', '10.0.0.0/33', 'must be IP addresses'],
    ['MOORING_ADMIN_TOKEN', 'mrg_pat_short', 'must be mrg_pat_ and 43'],
    ['MOORING_ADMIN_EMAIL', 'nobody', 'must be an e-mail address'],
    ['MOORING_ADMIN_PASSWORD', 'long enough', 'MOORING_ADMIN_EMAIL is missing'],
    ['MOORING_ACME_EAB_KEY', 'abc', 'MOORING_ACME_EAB_KEY_ID is missing'],
    ['MOORING_ACME_EAB_KEY_ID', 'abc', 'MOORING_ACME_EAB_KEY is missing'],
    ['MOORING_DNS_SERVERS', '1.1.1.1, dns.example.com', 'must be IP addresses, with a port or without'],
  ])('rejects %s=%s with one line that names the variable', (variable, value, reason) => {
    expect(() => readConfig({ [variable]: value })).toThrow(new RegExp(`^${variable}: .*${reason}`));
  });

  it('never repeats a secret in the error', () => {
    expect(() => readConfig({ MOORING_ADMIN_TOKEN: 'hunter2hunter2' })).toThrow(expect.not.stringContaining('hunter2'));
  });

  it('reports variables that are not settings', () => {
    expect(unknownVariables({ MOORING_MOED: 'cloud', MOORING_MODE: 'cloud', MOORING_TOKEN: 'x', HOME: '/' })).toEqual([
      'MOORING_MOED',
    ]);
  });

  it('documents every setting', () => {
    const page = configurationPage();
    for (const { variable } of Object.values(settings)) expect(page).toContain(`| \`${variable}\` |`);
  });

  it('derives the allowed outbound targets', () => {
    const reach = (env: Record<string, string>) => outboundReachOf(readConfig(env));
    expect(reach({})).toBe('private');
    expect(reach({ MOORING_MODE: 'cloud' })).toBe('public');
    expect(reach({ MOORING_ALLOW_PRIVATE_TARGETS: 'none' })).toBe('public');
    expect(reach({ MOORING_ALLOW_PRIVATE_TARGETS: '10.0.0.0/8, 127.0.0.1' })).toEqual(['10.0.0.0/8', '127.0.0.1']);
    expect(() => reach({ MOORING_ALLOW_PRIVATE_TARGETS: 'some' })).toThrow(/MOORING_ALLOW_PRIVATE_TARGETS/);
  });

  it('knows the former names of settings', () => {
    const old = { MOORING_SWARM_REGISTRY: 'old.example.com', MOORING_SWARM_REGISTRY_USER: 'a' };
    expect(readConfig(old)).toMatchObject({ swarmRegistry: 'old.example.com', swarmRegistryUser: 'a' });
    expect(readConfig({ ...old, MOORING_REGISTRY: 'new.example.com' }).swarmRegistry).toBe('new.example.com');
    expect(unknownVariables(old)).toEqual([]);
    expect(() => readConfig({ MOORING_SWARM_REGISTRY: 'not a registry' })).toThrow(/^MOORING_SWARM_REGISTRY: /);
  });
});
