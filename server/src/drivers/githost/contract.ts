import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import type { GitHostRig } from '../../../test/rig/githost.ts';
import { until } from '../../../test/rig/until.ts';
import { checkout, gitEnvironment, type RunGit } from '../../lib/git/git.ts';
import { credentialEnvironment } from '../../lib/git/credential.ts';
import { parseWebhook } from './github/webhooks/events.ts';
import { isSigned } from './github/webhooks/signature.ts';
import type { GitHostEvent } from './webhook-events.ts';
import type { CloneCredential, GitSource, SourceKind } from './githost.ts';

/** Rig of one source: octo is in `team` and has no access to `rivals`, except for `rivals/open`. */
export interface SourceRig {
  host: GitHostRig;
  source: GitSource;
  close: () => Promise<void>;
}

const shop = { owner: 'team', name: 'shop' };
const foreign = { owner: 'rivals', name: 'secret' };
const absent = { owner: 'team', name: 'absent' };
const run = promisify(execFile);
const secret = 'a secret of this repository';

const runGit =
  (env: Record<string, string>): RunGit =>
  (args, cwd) =>
    run('git', args, { cwd, env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );

/** Fetches with a credential, the way a deployment does. */
async function clone(credential: CloneCredential, url = credential.url) {
  const folder = newFolder('clone');
  const env = {
    PATH: process.env['PATH']!,
    ...gitEnvironment(),
    ...credentialEnvironment(credential),
  };
  return { folder, ...(await checkout(runGit(env), folder, url, 'main', null)) };
}

/** Starts a server that records webhook deliveries. */
async function listener() {
  const heard: { event: GitHostEvent; isSigned: boolean }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const event = parseWebhook(String(request.headers['x-github-event']), body, request.headers['content-type']);
      heard.push({ event, isSigned: isSigned(body, request.headers['x-hub-signature-256'], [secret]) });
      response.end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, heard };
}

/** Tests that every source must pass. */
export function sourceContract(kind: SourceKind, start: () => Promise<SourceRig>): void {
  describe(`source contract: ${kind}`, () => {
    let rig: SourceRig;
    let source: GitSource;
    beforeAll(async () => {
      rig = await start();
      source = rig.source;
    });
    afterAll(() => rig?.close());
    const notFound = expect.objectContaining({ code: 'not_found' });

    it('reports itself usable and lists the accounts', async () => {
      expect(source.kind).toBe(kind);
      expect(await source.state()).toEqual({ isUsable: true, login: expect.stringMatching(/^(octo|team)$/) });
      const accounts = await source.accounts();
      expect(accounts.map(({ login, type }) => `${type} ${login}`).toSorted()).toEqual([
        'organization team',
        'user octo',
      ]);
      expect(accounts[0]!.webUrl).toMatch(`${rig.host.webUrl}/`);
    });

    it('lists only the repositories that it has access to', async () => {
      const all = (await source.repositories()).map(({ owner, name }) => `${owner}/${name}`);
      expect(all).toEqual(expect.arrayContaining(['team/shop', 'team/docs', 'octo/mine']));
      expect(all.filter((name) => name.startsWith('rivals/'))).toEqual([]);
      const own = await source.repositories({ owner: 'TEAM' });
      expect(own.map(({ owner, name }) => `${owner}/${name}`).toSorted()).toEqual(['team/docs', 'team/shop']);
      expect(await source.repositories({ owner: 'nobody' })).toEqual([]);
      expect((await source.organizationRepositories('team')).map(({ name }) => name).toSorted()).toEqual([
        'docs',
        'shop',
      ]);
      await expect(source.organizationRepositories('no-such-organization')).rejects.toEqual(notFound);
    });

    it('returns the details of a repository', async () => {
      expect(await source.repository(shop)).toMatchObject({
        ...shop,
        isPrivate: true,
        isArchived: false,
        defaultBranch: 'main',
        cloneUrl: `${rig.host.webUrl}/team/shop.git`,
        webUrl: `${rig.host.webUrl}/team/shop`,
        pushedAt: expect.any(Number),
      });
    });

    it('rejects every call on a foreign, missing or malformed repository name', async () => {
      const odd = ['', '.', '..', '../user', 'a/b', 'a?b', 'a#b', 'é', ' ', 'x'.repeat(101), 'a\nb', '%2e%2e'];
      const names = [
        foreign,
        absent,
        ...odd.flatMap((text) => [
          { owner: text, name: 'shop' },
          { owner: 'team', name: text },
        ]),
      ];
      for (const name of names) {
        const calls = {
          repository: () => source.repository(name),
          delete: () => source.deleteRepository(name),
          branches: () => source.branches(name),
          branch: () => source.branch(name, 'main'),
          compare: () => source.changedFiles(name, 'main', 'main'),
          directory: () => source.directory(name, { path: '' }),
          file: () => source.file(name, { path: 'README.md' }),
          hooks: () => source.hooks(name),
          register: () => source.registerHook(name, { url: 'http://127.0.0.1/x', secret }),
          removeHook: () => source.deleteHook(name, 1),
        };
        for (const [call, ask] of Object.entries(calls)) {
          const refused = await ask().then(
            () => 'done',
            (error: unknown) => error,
          );
          expect(refused, `${call} of ${JSON.stringify(name)}`).toMatchObject({
            code: expect.stringMatching(/^(not_found|forbidden)$/),
          });
        }
      }
      expect(rig.host.log.filter((line) => line.includes('/repos/../') || line.includes('%2e'))).toEqual([]);
    });

    it('creates and deletes repositories', async () => {
      const made = await source.createRepository({ name: 'fresh', isPrivate: true, owner: 'team' });
      expect(made).toMatchObject({ owner: 'team', name: 'fresh', isPrivate: true });
      expect(
        (await source.repositories()).some(({ name }) => name === 'fresh'),
        'at once',
      ).toBe(true);
      await expect(source.createRepository({ name: 'fresh', isPrivate: true, owner: 'team' })).rejects.toMatchObject({
        code: 'conflict',
      });
      await expect(source.createRepository({ name: 'x', isPrivate: true, owner: 'rivals' })).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_found|forbidden)$/),
      });
      await source.deleteRepository(made);
      await expect(source.repository(made)).rejects.toEqual(notFound);
    });

    it('reads branches, directories, files and comparisons', async () => {
      const [main] = await source.branches(shop);
      expect(main).toEqual({ name: 'main', commitSha: expect.stringMatching(/^[0-9a-f]{40}$/), isProtected: false });
      expect(await source.branch(shop, 'main')).toEqual(main);
      for (const name of ['no-such', 'a/b', '../../user', 'main/../main'])
        await expect(source.branch(shop, name), name).rejects.toEqual(notFound);
      expect(await source.directory(shop, { path: '/' })).toContainEqual({
        name: 'README.md',
        path: 'README.md',
        type: 'file',
        bytes: 7,
      });
      expect((await source.file(shop, { path: 'README.md', branch: 'main' })).toString()).toBe('# shop\n');
      for (const place of [{ path: 'no-such' }, { path: 'README.md', branch: 'no-such' }, { path: '../../../user' }])
        await expect(source.file(shop, place), JSON.stringify(place)).rejects.toEqual(notFound);
      await expect(source.file(shop, { path: '' })).rejects.toMatchObject({ code: 'invalid' });
      await expect(source.directory(shop, { path: 'README.md' })).rejects.toMatchObject({ code: 'invalid' });
      expect(await source.changedFiles(shop, main!.commitSha, main!.commitSha)).toEqual({
        files: [],
        isComplete: true,
      });
    });

    it('registers one webhook per address, however often it is called', async () => {
      const { url, heard } = await listener();
      const first = await source.registerHook(shop, { url, secret });
      expect(first).toMatchObject({ isNew: true, hook: { url, events: ['push'], isActive: true } });
      await until('the ping', () => heard.length === 1);
      expect(heard[0]).toMatchObject({ isSigned: true, event: { type: 'ping', hookId: first.hook.id } });
      expect(await source.registerHook(shop, { url, secret: `${secret}, a new one` })).toMatchObject({
        isNew: false,
        hook: { id: first.hook.id },
      });
      expect((await source.hooks(shop)).filter((each) => each.url === url)).toHaveLength(1);
      for (const weak of ['', 'short'])
        await expect(source.registerHook(shop, { url, secret: weak })).rejects.toMatchObject({ code: 'invalid' });
      await source.deleteHook(shop, first.hook.id);
      await expect(source.deleteHook(shop, first.hook.id)).rejects.toEqual(notFound);
    });

    it('sets the commit status of a deployment', async () => {
      const { commitSha } = await source.branch(shop, 'main');
      const status = {
        commitSha,
        state: 'success',
        context: 'mooring',
        description: 'x'.repeat(200),
        targetUrl: 'http://here/',
      } as const;
      await source.setStatus(shop, status);
      expect(rig.host.gaps.statuses.at(-1)).toEqual({
        path: `/repos/team/shop/statuses/${commitSha}`,
        body: { state: 'success', context: 'mooring', description: 'x'.repeat(140), target_url: 'http://here/' },
      });
    });

    it('issues a clone credential that git does not write to disk', async () => {
      const files = newFolder('files');
      const commitSha = rig.host.git.push('team/shop', files, 'First');
      const credential = await source.cloneCredential(shop);
      expect(credential).toMatchObject({ url: `${rig.host.webUrl}/team/shop.git`, username: 'x-access-token' });
      const cloned = await clone(credential);
      expect(cloned).toMatchObject({ commitSha, commitMessage: 'First' });
      for (const name of ['config', 'FETCH_HEAD']) {
        const content = readFileSync(join(cloned.folder, '.git', name), 'utf8');
        expect(content).not.toContain(credential.password);
        expect(content).not.toContain(Buffer.from(`x-access-token:${credential.password}`).toString('base64'));
      }
      rig.host.git.push('rivals/secret', files, 'Of others');
      await expect(clone(credential, `${rig.host.webUrl}/rivals/secret.git`)).rejects.toThrow(
        /Authentication failed|could not read/,
      );
      await expect(clone({ ...credential, password: 'wrong' })).rejects.toThrow(/Authentication failed|could not read/);
    });

    it('stops when its signal aborts', async () => {
      const signal = AbortSignal.abort(new Error('left'));
      await expect(source.repositories({ signal })).rejects.toThrow('left');
      await expect(source.file(shop, { path: 'README.md' }, { signal })).rejects.toThrow('left');
      expect(await source.state()).toMatchObject({ isUsable: true });
    });
  });
}
