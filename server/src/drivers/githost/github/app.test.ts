import { generateKeyPairSync, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { inTurn, json, scriptedHost } from '../../../../test/rig/githost-script.ts';
import { until } from '../../../../test/rig/until.ts';
import { AppKey } from './app-key.ts';
import { gitHubRig, ownInstallations } from './github-rig.ts';
import { createGitHub } from './github.ts';
import { parseWebhook } from './webhooks/events.ts';
import { isSigned } from './webhooks/signature.ts';

const shop = { owner: 'team', name: 'shop' };
const [team, octo] = ownInstallations as [{ id: number; account: string }, { id: number; account: string }];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Returns the error that `act` throws. */
function failure(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
}

describe('GitHub App', () => {
  let rig: Awaited<ReturnType<typeof gitHubRig>>;
  beforeAll(async () => {
    rig = await gitHubRig();
  });
  afterAll(() => rig?.close());
  /** Creates a source with an empty token cache. */
  function sourceOf(installations = ownInstallations) {
    const lost: unknown[] = [];
    const { host } = rig;
    const gitHub = createGitHub({ webUrl: host.webUrl, reach: 'private', app: { id: '7', privateKey: host.appKey } });
    onTestFinished(() => gitHub.close());
    const onChanged = (...how: unknown[]) => void lost.push(how);
    return { source: gitHub.appSource({ installations, onChanged })!, gitHub, lost };
  }
  const minted = (id: number) =>
    rig.host.log.filter((line) => line.startsWith(`POST /app/installations/${id}/access_tokens`)).length;

  it('cannot use installations of other organizations', async () => {
    const { source, gitHub } = sourceOf();
    expect((await gitHub.app!.installations()).map(({ id }) => id)).toContain(72);
    const before = minted(72);
    for (const name of ['secret', 'open']) {
      const theirs = { owner: 'rivals', name };
      await expect(source.repository(theirs)).rejects.toMatchObject({ code: 'not_found' });
      await expect(source.cloneToken(theirs)).rejects.toMatchObject({ code: 'conflict' });
      await expect(source.cloneCredential(theirs)).rejects.toMatchObject({ code: 'conflict' });
    }
    await expect(source.organizationRepositories('rivals')).rejects.toMatchObject({ code: 'not_found' });
    expect(await source.repositories({ owner: 'rivals' })).toEqual([]);
    expect(minted(72)).toBe(before);
  });

  it('accesses only the selected repositories', async () => {
    const { source } = sourceOf();
    const own = await source.repositories({ owner: 'octo' });
    expect(own.map(({ name }) => name)).toEqual(['mine']);
    const unselected = { owner: 'octo', name: 'unselected' };
    await expect(source.repository(unselected)).rejects.toMatchObject({ code: 'not_found' });
    await expect(source.cloneToken(unselected)).rejects.toMatchObject({ code: 'not_found' });
    await expect(source.createRepository({ name: 'x', isPrivate: true, owner: 'octo' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(source.createRepository({ name: 'x', isPrivate: true })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('issues read-only tokens for one repository that expire within an hour', async () => {
    const { source } = sourceOf();
    rig.host.git.push('team/shop', newFolder('files'), 'First');
    const token = await source.cloneToken(shop);
    expect(token.expiresAt - Date.now()).toBeLessThan(3_600_000);
    expect(token.expiresAt - Date.now()).toBeGreaterThan(3_000_000);
    const { holder } = rig.host.gaps.tokens.of(`Bearer ${token.password}`);
    expect(holder!.installation).toMatchObject({ id: 70, repositories: ['shop'], permissions: { contents: 'read' } });
    const asked = (name: string) => rig.host.gaps.mayClone(name, token.password);
    expect([asked('team/shop'), asked('team/docs'), asked('rivals/secret')]).toEqual([true, false, false]);
    expect((await source.cloneToken(shop)).password, 'each its own').not.toBe(token.password);
    await source.endCredential(token);
    expect(asked('team/shop')).toBe(false);
    await source.endCredential(token);
  });

  it('shares one token among concurrent calls and renews it when the host rejects it', async () => {
    const { source } = sourceOf([team]);
    const before = minted(70);
    await Promise.all(Array.from({ length: 10 }, () => source.repository(shop)));
    expect(minted(70) - before).toBe(1);
    rig.host.gaps.tokens.endInstallation(70);
    expect((await source.repository(shop)).name, 'as if nothing had happened').toBe('shop');
    expect(minted(70) - before).toBe(2);
    await source.revoke();
    await source.repository(shop);
    expect(minted(70) - before, 'nothing was kept').toBe(3);
  });

  it('keeps working for the other accounts when one installation is deleted', async () => {
    const { source, lost } = sourceOf();
    rig.host.gaps.lose(71, 'deleted');
    onTestFinished(() => rig.host.gaps.lose(71, undefined));
    expect((await source.repositories()).map(({ owner }) => owner)).toEqual(['team', 'team']);
    expect((await source.accounts()).map(({ login }) => login)).toEqual(['team']);
    await expect(source.repository({ owner: 'octo', name: 'mine' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'the app is no longer installed for octo',
    });
    await expect(source.cloneToken({ owner: 'octo', name: 'mine' })).rejects.toMatchObject({ code: 'not_found' });
    expect(lost).toContainEqual([71, 'deleted']);
    expect(await sourceOf([octo]).source.state()).toMatchObject({ isUsable: false, reason: 'not_connected' });
    expect(await sourceOf([]).source.state()).toMatchObject({ isUsable: false, reason: 'not_connected' });
  });

  it('reports a suspended installation and recovers when it is resumed', async () => {
    const { source, lost } = sourceOf([team]);
    await source.repository(shop);
    rig.host.gaps.lose(70, 'suspended');
    onTestFinished(() => rig.host.gaps.lose(70, undefined));
    expect(await source.state()).toMatchObject({ isUsable: false, reason: 'suspended' });
    await expect(source.repository(shop)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('suspended'),
    });
    await expect(source.cloneToken(shop)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await source.repositories()).toEqual([]);
    expect(lost).toContainEqual([70, 'suspended']);
    rig.host.gaps.lose(70, undefined);
    expect((await source.repository(shop)).name).toBe('shop');
  });

  it('reports itself signed out when the key is wrong', async () => {
    const gitHub = createGitHub({ webUrl: rig.host.webUrl, reach: 'private', app: { id: '7', privateKey: pem } });
    onTestFinished(() => gitHub.close());
    const source = gitHub.appSource({ installations: [team] })!;
    expect(await source.state()).toMatchObject({ isUsable: false, reason: 'signed_out' });
    await expect(source.cloneToken(shop)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('delivers signed push webhooks that parse', async () => {
    const { source } = sourceOf();
    const secret = 'a secret of this repository';
    // The emulator makes the commit here, so that it knows the branch.
    const { gaps, git } = rig.host;
    gaps.git = undefined;
    onTestFinished(() => void (gaps.git = git));
    const heard: Buffer[] = [];
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        if (
          isSigned(body, request.headers['x-hub-signature-256'], [secret]) &&
          request.headers['x-github-event'] === 'push'
        )
          heard.push(body);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    await source.registerHook(shop, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, secret });
    const before = await source.branch(shop, 'main');
    await fetch(`${rig.host.apiUrl}/repos/team/shop/contents/src/app.js`, {
      method: 'PUT',
      headers: { authorization: 'Bearer gho_octo_0123456789abcdef', 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Add the app', content: Buffer.from('x').toString('base64') }),
    });
    await until('the push', () => heard.length === 1);
    const { commitSha } = await source.branch(shop, 'main');
    expect(parseWebhook('push', heard[0]!)).toMatchObject({
      type: 'push',
      repository: { owner: 'team', name: 'shop' },
      ref: { kind: 'branch', name: 'main' },
      commitSha,
      isDeleted: false,
    });
    expect(await source.changedFiles(shop, before.commitSha, commitSha)).toEqual({
      files: ['src/app.js'],
      isComplete: true,
    });
  });
});

describe('app credential', () => {
  it("is a short-lived JWT signed with the app's key", () => {
    const now = Date.UTC(2026, 0, 31, 12);
    const { secret } = new AppKey('42', pem.replaceAll('\n', String.raw`\n`)).credential(now);
    const [head, claims, signature] = secret.split('.') as [string, string, string];
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT' });
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      iat: number;
      exp: number;
      iss: string;
    };
    expect([iat < now / 1000, exp - iat <= 600, exp > now / 1000, iss]).toEqual([true, true, true, '42']);
    expect(verify('sha256', Buffer.from(`${head}.${claims}`), rsa.publicKey, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
  });

  it('rejects an unusable key at startup without showing it', () => {
    const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString();
    for (const bad of ['', 'secret words', elliptic, pem.replace('MII', 'XXX')]) {
      const error = failure(() => new AppKey('42', bad));
      expect(error.message).toMatch(/^the app's private key/);
      expect(error.stack).not.toMatch(/secret words|BEGIN PRIVATE|MII/);
    }
  });

  it.each([-7_200, 7_200])("uses the host's clock when it is %i s off ours", async (ahead) => {
    const time = () => Date.now() + ahead * 1000;
    const { url, asked } = await scriptedHost((request, response) => {
      const claims = JSON.parse(Buffer.from(request.headers.authorization!.split('.')[1]!, 'base64url').toString()) as {
        iat: number;
        exp: number;
      };
      const now = time() / 1000;
      const isRight = claims.iat <= now && claims.exp > now && claims.exp <= now + 600;
      json(isRight ? [] : { message: 'claims' }, isRight ? 200 : 401, { date: new Date(time()).toUTCString() })(
        request,
        response,
      );
    });
    const { app, close } = createGitHub({ webUrl: url, reach: 'private', app: { id: '42', privateKey: pem } });
    onTestFinished(close);
    expect(await app!.installations()).toEqual([]);
    expect(await app!.installations()).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  it('is requested again after a failure and shortly before it expires', async () => {
    const token = (name: string, seconds: number) =>
      json({ token: name, expires_at: new Date(Date.now() + seconds * 1000).toISOString() }, 201);
    const { url, asked } = await scriptedHost(inTurn(json({}, 500), token('first', 299), token('second', 3600)));
    const { app, close } = createGitHub({ webUrl: url, reach: 'private', app: { id: '42', privateKey: pem } });
    onTestFinished(close);
    await expect(app!.credential(1)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await app!.credential(1)).secret).toBe('first');
    expect((await app!.credential(1)).secret, 'the first is nearly over').toBe('second');
    expect((await app!.credential(1)).secret).toBe('second');
    expect(asked).toHaveLength(3);
  });
});
