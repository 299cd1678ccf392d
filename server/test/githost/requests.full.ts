import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryVault } from '../../src/drivers/githost/github/github-rig.ts';
import { createGitHub, type GitHub } from '../../src/drivers/githost/github/github.ts';
import { newAppKey } from '../rig/githost-seed.ts';
import { has } from '../rig/parts.ts';
import { type Prism, startPrism } from '../rig/prism.ts';

const repo = '/repos/{owner}/{repo}';
const paths = [
  '/user',
  '/user/orgs',
  '/user/repos',
  '/user/installations',
  '/user/memberships/orgs',
  '/orgs/{org}/repos',
  '/app/installations',
  '/app/installations/{installation_id}',
  '/app/installations/{installation_id}/access_tokens',
  '/installation/repositories',
  '/installation/token',
  '/applications/{client_id}/token',
  repo,
  `${repo}/branches`,
  `${repo}/branches/{branch}`,
  `${repo}/compare/{basehead}`,
  `${repo}/contents/{path}`,
  `${repo}/hooks`,
  `${repo}/hooks/{hook_id}`,
  `${repo}/statuses/{sha}`,
];
const name = { owner: 'octocat', name: 'Hello-World' };
const sha = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
const hookUrl = 'https://mooring.example.com/api/webhooks/githost';

describe.runIf(has('prism'))('our git host requests', () => {
  let prism: Prism;
  let gitHub: GitHub;
  beforeAll(async () => {
    prism = await startPrism(paths);
    const app = { id: '1', privateKey: newAppKey() };
    const oauth = { clientId: 'Iv1.8a61f9b3a7aba766', clientSecret: 'a secret of the client' };
    gitHub = createGitHub({ webUrl: prism.url, apiUrl: prism.url, reach: 'private', app, oauth });
  }, 120_000);
  afterAll(async () => {
    await gitHub?.close();
    await prism?.stop();
  });

  it("match GitHub's description, and its example responses are understood", async () => {
    const tokens = { accessToken: 'gho_x', refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] };
    const user = gitHub.oauthSource(memoryVault(tokens))!;
    const app = gitHub.appSource({ installations: [{ id: 1, account: 'octocat' }] })!;
    expect(await gitHub.app!.installations()).not.toEqual([]);
    await user.installations();
    await user.administered();
    for (const source of [user, app]) {
      expect(await source.state()).toMatchObject({ isUsable: true });
      expect(await source.accounts()).not.toEqual([]);
      expect(await source.repositories()).not.toEqual([]);
      expect(await source.organizationRepositories('octocat')).not.toEqual([]);
      expect(await source.repository(name)).toMatchObject({ owner: 'octocat', name: 'Hello-World' });
      expect(await source.branches(name)).not.toEqual([]);
      await source.branch(name, 'feature/x');
      await source.changedFiles(name, sha, sha);
      // The description has one example for both.
      for (const look of [
        source.directory(name, { path: 'a b', branch: 'x' }),
        source.file(name, { path: 'README.md' }),
      ])
        await look.catch((error: unknown) => expect(error).toMatchObject({ code: 'invalid' }));
      expect(await source.hooks(name)).not.toEqual([]);
      await source.registerHook(name, { url: hookUrl, secret: 'a secret of the hook' });
      const known = (await source.hooks(name))[0]!;
      await source.registerHook(name, { url: known.url, secret: 'a secret of the hook' });
      await source.deleteHook(name, 12_345_678);
      await source.setStatus(name, {
        commitSha: sha,
        state: 'success',
        context: 'mooring',
        description: 'x',
        targetUrl: hookUrl,
      });
      await source.deleteRepository(name);
    }
    await user.createRepository({ name: 'x', isPrivate: true });
    await user.createRepository({ name: 'x', isPrivate: true, owner: 'github' });
    await app.endCredential(await app.cloneToken(name));
    await user.revoke();
    expect(prism.asked.filter(({ violations, status }) => violations.length || status >= 400)).toEqual([]);
    expect(new Set(prism.asked.map(({ call }) => call)).size).toBeGreaterThan(22);
  });

  it('would be rejected otherwise', async () => {
    await fetch(`${prism.url}/user/repos`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(prism.asked.at(-1)!.violations).toEqual(["Request body must have required property 'name'"]);
  });
});
