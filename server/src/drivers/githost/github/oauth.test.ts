import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { json, scriptedHost } from '../../../../test/rig/githost-script.ts';
import { oauthApp } from '../../../../test/rig/githost-seed.ts';
import { gitHubRig, memoryVault, redirectUri } from './github-rig.ts';
import { createGitHub } from './github.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const shop = { owner: 'team', name: 'shop' };

describe('OAuth web flow', () => {
  let rig: Awaited<ReturnType<typeof gitHubRig>>;
  beforeAll(async () => {
    rig = await gitHubRig();
  });
  afterAll(() => rig?.close());
  beforeEach(() => void (rig.host.gaps.signIns.areTokensRenewable = true));
  const sourceOf = (vault: ReturnType<typeof memoryVault>) => rig.gitHub.oauthSource(vault)!;
  const refreshes = () => rig.host.log.filter((line) => line.startsWith('POST /login/oauth/access_token')).length;
  const nearlyOver = () => Date.now() + 60_000;

  it('starts with a random state and does not send the PKCE verifier', () => {
    const [one, other] = [rig.gitHub.oauth!.begin(redirectUri), rig.gitHub.oauth!.begin(redirectUri)];
    const { origin, pathname, searchParams: query } = new URL(one.url);
    expect(origin + pathname).toBe(`${rig.host.webUrl}/login/oauth/authorize`);
    expect(Object.fromEntries(query)).toEqual({
      client_id: oauthApp.clientId,
      redirect_uri: redirectUri,
      scope: 'repo read:org delete_repo',
      state: one.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(one.url).not.toContain(one.codeVerifier);
    expect(
      new Set([one.state, other.state, one.codeVerifier, other.codeVerifier, query.get('code_challenge')]).size,
    ).toBe(5);
    expect(one.state.length).toBeGreaterThanOrEqual(43);
  });

  it('exchanges the code once, and only with the right verifier', async () => {
    const begun = rig.gitHub.oauth!.begin(redirectUri);
    const back = await rig.host.gaps.signIns.agree(begun.url, 'octo');
    expect(back.searchParams.get('state')).toBe(begun.state);
    const brought = { code: back.searchParams.get('code')!, codeVerifier: begun.codeVerifier, redirectUri };
    const other = rig.gitHub.oauth!.begin(redirectUri);
    await expect(rig.gitHub.oauth!.exchange({ ...brought, codeVerifier: other.codeVerifier })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    const tokens = await rig.gitHub.oauth!.exchange(brought);
    expect(tokens).toMatchObject({
      accessToken: expect.stringMatching(/^ghu_/),
      refreshToken: expect.stringMatching(/^ghr_/),
    });
    expect(Math.abs(tokens.expiresAt! - Date.now() - 28_800_000)).toBeLessThan(5_000);
    await expect(rig.gitHub.oauth!.exchange(brought)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('reports a misconfigured client without showing its secret', async () => {
    const wrong = { clientId: oauthApp.clientId, clientSecret: 'a wrong secret of the client' };
    const { oauth, close } = createGitHub({ webUrl: rig.host.webUrl, reach: 'private', oauth: wrong });
    onTestFinished(close);
    const brought = { code: 'x', codeVerifier: 'y', redirectUri };
    const error = (await oauth!.exchange(brought).catch((error: unknown) => error)) as Error;
    expect(error).toMatchObject({ code: 'invalid' });
    expect(error.message).not.toContain(wrong.clientSecret);
    const without = createGitHub({ webUrl: rig.host.webUrl, reach: 'private', oauth: { clientId: 'x' } });
    onTestFinished(without.close);
    await expect(without.oauth!.exchange(brought)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('refreshes expired tokens once and stores them before use', async () => {
    const vault = memoryVault({ ...(await rig.connect()), expiresAt: nearlyOver() });
    const old = vault.tokens!;
    const source = sourceOf(vault);
    const before = refreshes();
    await Promise.all(Array.from({ length: 10 }, () => source.repository(shop)));
    expect([refreshes() - before, vault.writes]).toEqual([1, 1]);
    expect(vault.tokens!.refreshToken).not.toBe(old.refreshToken);
    vault.write = () => Promise.reject(new Error('the disk is full'));
    vault.tokens = { ...vault.tokens!, expiresAt: nearlyOver() };
    await expect(source.repository(shop)).rejects.toThrow('the disk is full');
  });

  it('refreshes tokens while the device flow is rate limited', async () => {
    const busy = json({ message: 'slow down' }, 429, { 'retry-after': '60' });
    const tokens = { access_token: 'ghu_new', token_type: 'bearer', expires_in: 28_800, refresh_token: 'ghr_new' };
    const { url } = await scriptedHost((request, response) => {
      if (request.url!.startsWith('/login/device')) busy(request, response);
      else if (request.url!.startsWith('/login/')) json(tokens)(request, response);
      else json({ id: 1, login: 'octo' })(request, response);
    });
    const gitHub = createGitHub({ webUrl: url, reach: 'private', oauth: oauthApp });
    onTestFinished(gitHub.close);
    for (let i = 0; i < 3; i++)
      await expect(gitHub.deviceFlow!.begin()).rejects.toMatchObject({ code: 'rate_limited' });
    const vault = memoryVault({ ...(await rig.connect()), expiresAt: nearlyOver() });
    expect(await gitHub.oauthSource(vault)!.state()).toEqual({ isUsable: true, login: 'octo' });
    expect(vault.tokens).toMatchObject({ accessToken: 'ghu_new', refreshToken: 'ghr_new' });
  });

  it('finishes a refresh before closing, but does not wait forever', async () => {
    const tokens = { access_token: 'ghu_new', token_type: 'bearer', expires_in: 28_800, refresh_token: 'ghr_new' };
    const slow = await scriptedHost((request, response) => void setTimeout(json(tokens), 500, request, response));
    const gitHub = createGitHub({ webUrl: slow.url, reach: 'private', oauth: oauthApp });
    const vault = memoryVault({ ...(await rig.connect()), expiresAt: nearlyOver() });
    const write = vault.write.bind(vault);
    vault.write = async (next) => {
      await wait(200);
      await write(next);
    };
    const left = gitHub.oauthSource(vault)!.state();
    await vi.waitFor(() => expect(slow.asked).toHaveLength(1));
    await gitHub.close();
    expect(vault.tokens).toMatchObject({ refreshToken: 'ghr_new' });
    await left;
    const mute = await scriptedHost(() => {});
    const other = createGitHub({ webUrl: mute.url, reach: 'private', oauth: oauthApp });
    const lost = other.oauthSource(memoryVault({ ...vault.tokens!, expiresAt: nearlyOver() }))!.state();
    await vi.waitFor(() => expect(mute.asked).toHaveLength(1));
    const began = Date.now();
    await other.close();
    expect(Date.now() - began).toBeLessThan(7000);
    expect(await lost).toMatchObject({ isUsable: false, reason: 'unavailable' });
  });

  it('survives two processes that refresh at the same time', async () => {
    const vault = memoryVault({ ...(await rig.connect()), expiresAt: nearlyOver() });
    const write = vault.write.bind(vault);
    vault.write = async (tokens) => {
      await wait(300);
      await write(tokens);
    };
    const calls = [sourceOf(vault), sourceOf(vault), sourceOf(vault)].map((source) => source.repository(shop));
    expect((await Promise.all(calls)).map(({ name }) => name)).toEqual(['shop', 'shop', 'shop']);
    expect((await sourceOf(vault).repository(shop)).name, 'and is not lost').toBe('shop');
  });

  it('refreshes a token revoked early, and reports signed out when it cannot', async () => {
    const vault = memoryVault(await rig.connect());
    const source = sourceOf(vault);
    rig.host.gaps.tokens.end(vault.tokens!.accessToken);
    expect((await source.repository(shop)).name).toBe('shop');
    expect(vault.writes).toBe(1);
    rig.host.gaps.signIns.areTokensRenewable = false;
    const lasting = memoryVault(await rig.connect());
    expect(lasting.tokens).toMatchObject({ refreshToken: null, expiresAt: null });
    rig.host.gaps.tokens.end(lasting.tokens!.accessToken);
    expect(await sourceOf(lasting).state()).toMatchObject({ isUsable: false, reason: 'signed_out' });
    await expect(sourceOf(lasting).repositories()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await sourceOf(memoryVault()).state()).toEqual({
      isUsable: false,
      reason: 'signed_out',
      message: 'no account is connected',
    });
  });

  it('revokes only its own token', async () => {
    const [one, other] = [memoryVault(await rig.connect()), memoryVault(await rig.connect())];
    await sourceOf(one).revoke();
    await sourceOf(one).revoke();
    expect(rig.host.gaps.tokens.holder(one.tokens!.accessToken)).toBeUndefined();
    expect(await sourceOf(other).state()).toEqual({ isUsable: true, login: 'octo' });
  });

  it('lists the app installations of the user', async () => {
    const source = sourceOf(memoryVault(await rig.connect()));
    expect((await source.installations()).map(({ id }) => id)).toEqual([70, 71]);
  });

  it("never issues a user's token as a clone token", async () => {
    const source = sourceOf(memoryVault(await rig.connect()));
    await expect(source.cloneToken()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('reports an unreachable host as unavailable', async () => {
    const gitHub = createGitHub({ webUrl: 'http://127.0.0.1:1', reach: 'private', oauth: oauthApp });
    onTestFinished(gitHub.close);
    const vault = memoryVault(await rig.connect());
    expect(await gitHub.oauthSource(vault)!.state()).toMatchObject({ isUsable: false, reason: 'unavailable' });
    const late = memoryVault({ ...vault.tokens!, expiresAt: nearlyOver() });
    await expect(gitHub.oauthSource(late)!.repositories()).rejects.toMatchObject({ code: 'unavailable' });
    expect(late.writes, 'what is kept stays').toBe(0);
  });
});

describe('OAuth device flow', () => {
  let rig: Awaited<ReturnType<typeof gitHubRig>>;
  beforeAll(async () => {
    rig = await gitHubRig();
  });
  afterAll(() => rig?.close());

  it('polls at the interval that the host asks for', async () => {
    const { begin, poll } = rig.gitHub.deviceFlow!;
    const flow = await begin();
    expect(flow).toMatchObject({
      userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
      verificationUri: `${rig.host.webUrl}/login/device`,
      intervalMs: 1_000,
    });
    expect(await poll(flow), 'too soon').toEqual({ status: 'pending', intervalMs: 6_000 });
    const second = await begin();
    await wait(1_050);
    expect(await poll(second)).toEqual({ status: 'pending', intervalMs: 1_000 });
    rig.host.gaps.signIns.flows.decide(second.userCode, { real: 'gho_octo_0123456789abcdef', login: 'octo' });
    await wait(1_050);
    const done = await poll(second);
    expect(done).toMatchObject({ status: 'done', tokens: { accessToken: expect.any(String) } });
    const vault = memoryVault(done.status === 'done' ? done.tokens : undefined);
    expect(await rig.gitHub.oauthSource(vault)!.state()).toEqual({ isUsable: true, login: 'octo' });
    expect(await poll(second), 'once').toEqual({ status: 'expired' });
  });

  it('ends when the user declines or the code expires', async () => {
    rig.host.gaps.signIns.deviceInterval = 0;
    const { begin, poll } = rig.gitHub.deviceFlow!;
    const flow = await begin();
    rig.host.gaps.signIns.flows.decide(flow.userCode, undefined);
    expect(await poll(flow)).toEqual({ status: 'denied' });
    expect(await poll({ ...flow, expiresAt: Date.now() - 1 })).toEqual({ status: 'expired' });
    expect(await poll({ ...flow, deviceCode: 'unknown' })).toEqual({ status: 'expired' });
  });

  it.each([
    [{ error: 'device_flow_disabled' }, 'invalid'],
    [{ error: 'unauthorized_client' }, 'invalid'],
    [{}, 'unavailable'],
    [[], 'unavailable'],
  ])('maps the response %j to %s', async (body, code) => {
    const { url } = await scriptedHost(json(body));
    const { deviceFlow, close } = createGitHub({ webUrl: url, reach: 'private', oauth: { clientId: 'x' } });
    onTestFinished(close);
    await expect(deviceFlow!.begin()).rejects.toMatchObject({ code });
  });

  it('sends users to the host, not to a foreign address in the response', async () => {
    const answer = {
      device_code: 'd',
      user_code: 'ABCD-1234',
      verification_uri: 'https://evil.example/device',
      expires_in: 900,
    };
    const { url } = await scriptedHost(json(answer));
    const { deviceFlow, close } = createGitHub({ webUrl: url, reach: 'private', oauth: { clientId: 'x' } });
    onTestFinished(close);
    expect(await deviceFlow!.begin()).toMatchObject({ verificationUri: `${url}/login/device`, intervalMs: 5_000 });
  });
});
