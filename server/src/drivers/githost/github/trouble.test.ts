import { array, assert, asyncProperty, constantFrom, oneof, record, string } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newAppKey } from '../../../../test/rig/githost-seed.ts';
import { json, scriptedHost } from '../../../../test/rig/githost-script.ts';
import { GitHostError } from '../errors.ts';
import type { GitSource } from '../githost.ts';
import { memoryVault, standInGh } from './github-rig.ts';
import { createGitHub } from './github.ts';

const name = { owner: 'team', name: 'shop' };
const sha = 'a'.repeat(40);
const token = 'gho_0123456789abcdef0123';
const appKey = newAppKey();
const { file } = standInGh(token);

const calls: Record<string, (source: GitSource) => Promise<unknown>> = {
  state: (source) => source.state(),
  accounts: (source) => source.accounts(),
  repositories: (source) => source.repositories(),
  organizationRepositories: (source) => source.organizationRepositories('team'),
  createRepository: (source) => source.createRepository({ name: 'x', isPrivate: true, owner: 'team' }),
  repository: (source) => source.repository(name),
  deleteRepository: (source) => source.deleteRepository(name),
  branches: (source) => source.branches(name),
  branch: (source) => source.branch(name, 'main'),
  changedFiles: (source) => source.changedFiles(name, sha, sha),
  directory: (source) => source.directory(name, { path: 'x' }),
  file: (source) => source.file(name, { path: 'x' }),
  hooks: (source) => source.hooks(name),
  registerHook: (source) => source.registerHook(name, { url: 'http://x/', secret: 's'.repeat(16) }),
  deleteHook: (source) => source.deleteHook(name, 1),
  setStatus: (source) => source.setStatus(name, { commitSha: sha, state: 'error', context: 'x', description: 'x' }),
  cloneCredential: (source) => source.cloneCredential(name),
  cloneToken: (source) => source.cloneToken(name),
  endCredential: (source) => source.endCredential({ password: token }),
  revoke: (source) => source.revoke(),
};

function sourcesOf(webUrl: string): GitSource[] {
  const gitHub = createGitHub({
    webUrl,
    reach: 'private',
    app: { id: '1', privateKey: appKey },
    oauth: { clientId: 'x', clientSecret: 'y' },
    cli: { file, home: '/nowhere', path: '/usr/bin:/bin' },
  });
  onTestFinished(gitHub.close);
  const tokens = { accessToken: token, refreshToken: 'ghr_x', expiresAt: null, refreshExpiresAt: null, scopes: [] };
  return [
    gitHub.appSource({ installations: [{ id: 1, account: 'team' }] })!,
    gitHub.oauthSource(memoryVault(tokens))!,
    gitHub.cliSource()!,
  ];
}

/** Checks that a failed call rejects with a GitHostError that does not contain the token. */
async function inWords(source: GitSource, call: string): Promise<void> {
  const error = await calls[call]!(source).catch((error: unknown) => error);
  if (!(error instanceof Error)) return;
  expect(error, `${source.kind} ${call}`).toBeInstanceOf(GitHostError);
  expect(`${error.message} ${error.stack}`).not.toContain(token);
}

describe('sources with a misbehaving host', () => {
  it('reject only with a GitHostError, whatever the response', async () => {
    const value = constantFrom<unknown>(
      null,
      [],
      {},
      [{}],
      [null],
      { message: token },
      { id: 1, login: 'x' },
      'text',
      1,
      [[]],
    );
    const answer = record({
      status: constantFrom(200, 200, 201, 204, 301, 304, 307, 400, 401, 403, 404, 409, 418, 422, 429, 500, 599),
      body: oneof(
        value.map((each) => JSON.stringify(each)),
        string(),
        constantFrom('', '{', '<html>', '\u0000'),
      ),
      headers: constantFrom<Record<string, string>>(
        {},
        { link: '<x>; rel="next", <http://169.254.169.254/>; rel="next"' },
        { location: 'http://169.254.169.254/latest' },
        { location: '//' },
        { 'retry-after': 'never', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '-1' },
        { date: 'yesterday', etag: '"x"' },
      ),
    });
    let script: { status: number; body: string; headers: Record<string, string> }[] = [];
    let turn = 0;
    const { url } = await scriptedHost((_, response) => {
      const { status, body, headers } = script[turn++ % script.length]!;
      response.writeHead(status, headers).end(body);
    });
    await assert(
      asyncProperty(
        array(answer, { minLength: 1, maxLength: 4 }),
        constantFrom(...Object.keys(calls)),
        async (answers, call) => {
          [script, turn] = [answers, 0];
          for (const source of sourcesOf(url)) await inWords(source, call);
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each(Object.keys(calls))('report an unreachable host in %s', async (call) => {
    for (const source of sourcesOf('http://127.0.0.1:1')) {
      const result = await calls[call]!(source).catch((error: unknown) => error);
      if (call === 'state') expect(result).toMatchObject({ isUsable: false, reason: 'unavailable' });
      else if (result instanceof Error)
        expect(result, source.kind).toMatchObject({ code: expect.stringMatching(/^(unavailable|conflict)$/) });
      // These calls need no request: the token is at hand, or there is nothing to revoke.
      else
        expect([call, source.kind].join(' ')).toMatch(
          /^(cloneCredential (oauth|cli)|endCredential (oauth|cli)|revoke (app|cli))$/,
        );
    }
  });

  it('apply a rate limit only to the credential that hit it', async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 60);
    const { url, asked } = await scriptedHost((request, response) => {
      const isLimited = request.headers.authorization === `Bearer ${token}`;
      const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
      json(
        isLimited ? { message: 'API rate limit exceeded' } : { id: 1, login: 'x' },
        isLimited ? 403 : 200,
        isLimited ? headers : {},
      )(request, response);
    });
    const gitHub = createGitHub({ webUrl: url, reach: 'private', oauth: { clientId: 'x' } });
    onTestFinished(gitHub.close);
    const of = (accessToken: string) =>
      gitHub.oauthSource(
        memoryVault({ accessToken, refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] }),
      )!;
    const limited = await of(token)
      .repository(name)
      .catch((error: unknown) => error);
    expect(limited).toMatchObject({ code: 'rate_limited', retryAt: expect.any(Number) });
    expect(await of('another').state()).toMatchObject({ isUsable: true });
    const before = asked.length;
    expect(await of(token).state()).toMatchObject({
      isUsable: false,
      reason: 'unavailable',
      message: expect.stringContaining('try again in'),
    });
    expect(asked.length).toBe(before);
  });
});
