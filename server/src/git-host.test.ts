import { describe, expect, it, onTestFinished } from 'vitest';
import { json, scriptedHost } from '../test/rig/githost-script.ts';
import { readConfig } from './config.ts';
import { memoryVault } from './drivers/githost/github/github-rig.ts';
import { gitHostOf } from './git-host.ts';

const machine = { home: '/nowhere', path: '/usr/bin:/bin' };
const tokens = { accessToken: 'gho_x', refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] };

function setUp(env: Record<string, string>) {
  const gitHost = gitHostOf(readConfig(env), machine);
  onTestFinished(gitHost.close);
  return gitHost;
}

describe('configured git host', () => {
  it.each([
    [{ GITHOST_APP_ID: '1' }, /GITHOST_APP_PRIVATE_KEY/],
    [
      { GITHOST_APP_ID: '1', GITHOST_APP_SLUG: 'x', GITHOST_APP_PRIVATE_KEY_FILE: '/nowhere' },
      /GITHOST_APP_PRIVATE_KEY_FILE/,
    ],
    [{ GITHOST_URL: 'https://user:secret@example.com' }, /^(?!.*secret).*git host/],
  ])('fails to start with a one-line error for %j', (env, line) => {
    expect(() => setUp(env)).toThrow(line);
  });

  it('is reached at private addresses only where they are allowed', async () => {
    const host = await scriptedHost(json({ id: 1, login: 'octo' }));
    const stateIn = (env: Record<string, string>) =>
      setUp({ GITHOST_URL: host.url, GITHOST_CLIENT_ID: 'x', ...env })
        .oauthSource(memoryVault(tokens))!
        .state();
    expect(await stateIn({ MOORING_MODE: 'cloud' })).toMatchObject({ isUsable: false, reason: 'unavailable' });
    expect(await stateIn({ MOORING_ALLOW_PRIVATE_TARGETS: 'none' })).toMatchObject({ isUsable: false });
    expect(host.asked).toEqual([]);
    expect(await stateIn({})).toEqual({ isUsable: true, login: 'octo' });
    const allowed = { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };
    expect(await stateIn(allowed)).toEqual({ isUsable: true, login: 'octo' });
  });

  it('uses the gh sign-in of this machine except in cloud mode', () => {
    expect(setUp({}).program).toBeDefined();
    expect(setUp({ MOORING_MODE: 'cloud' }).program).toBeUndefined();
  });
});
