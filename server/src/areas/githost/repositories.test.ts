import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import type { GitHostRig } from '../../../test/rig/githost.ts';
import { connectAccount, get, namesOf, owner, startHost, startWithHost, storedText } from './githost-rig.ts';
import { cloneCommand } from './repositories/clone-command.ts';

const dataOf = ({ body }: Answer) => (body as unknown as { data: Record<string, unknown> }).data;
type Token = Record<'token' | 'cloneUrl' | 'command' | 'expiresAt', string>;

describe.each(databaseKindsInFull)('repositories of the git host on %s', (kind) => {
  let host: GitHostRig;
  let app: TestApp;
  beforeAll(async () => {
    host = await startHost();
    app = await startWithHost(kind, host);
    await connectAccount(app, host);
    const files = {
      'package.json': '{"name": "shop"}',
      'broken.json': '{',
      'src/a b.txt': 'Grüße',
      'x.bin': '\0\u0001',
    };
    for (const [path, content] of Object.entries(files)) await put(path, Buffer.from(content));
    await put('latin.txt', Buffer.from([0x47, 0xfc, 0x65]));
  });
  afterAll(async () => {
    await app.close();
    await host.stop();
  });

  async function put(path: string, content: Buffer): Promise<void> {
    const { status } = await fetch(`${host.apiUrl}/repos/team/shop/contents/${encodeURI(path)}`, {
      method: 'PUT',
      headers: { authorization: 'Bearer gho_octo_0123456789abcdef', 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Add', content: content.toString('base64') }),
    });
    if (status !== 201) throw new Error(`${path}: ${status}`);
  }

  it('are listed once each, with the preferred source', async () => {
    const all = await get(app, '/repos');
    expect(namesOf(all)).toEqual(['octo/mine', 'octo/unselected', 'team/docs', 'team/shop']);
    const list = (all.body as unknown as { data: { fullName: string; source: string }[] }).data;
    const sourceOf = (name: string) => list.find(({ fullName }) => fullName === name)!.source;
    expect([sourceOf('octo/mine'), sourceOf('octo/unselected'), sourceOf('team/shop')]).toEqual([
      'app',
      'oauth',
      'app',
    ]);
    expect(namesOf(await get(app, '/repos?owner=TEAM'))).toEqual(['team/docs', 'team/shop']);
    expect(namesOf(await get(app, '/orgs/team/repos'))).toEqual(['team/docs', 'team/shop']);
    expect((await get(app, '/orgs/nobody/repos')).status).toBe(404);
    expect((await get(app, '/home')).body).toMatchObject({ state: 'connected', repos: expect.any(Array) });
  });

  it('are shown with branches and files', async () => {
    expect(dataOf(await get(app, '/repos/team/shop'))).toMatchObject({
      owner: 'team',
      name: 'shop',
      fullName: 'team/shop',
      private: true,
      defaultBranch: 'main',
      cloneUrl: `${host.webUrl}/team/shop.git`,
      source: 'app',
    });
    expect(dataOf(await get(app, '/repos/team/shop'))).not.toHaveProperty('branches');
    const branch = { name: 'main', commitSha: expect.stringMatching(/^[0-9a-f]{40}$/), isProtected: false };
    expect(dataOf(await get(app, '/repos/team/shop?branches=true'))).toMatchObject({ branches: [branch] });
    expect(dataOf(await get(app, '/repos/team/shop/branches'))).toEqual([branch]);
    const files = dataOf(await get(app, '/repos/team/shop/files')) as unknown as { name: string; type: string }[];
    expect(files.map(({ name, type }) => `${name} ${type}`)).toEqual(
      expect.arrayContaining(['package.json file', 'src directory']),
    );
    expect(dataOf(await get(app, '/repos/team/shop/files?path=src'))).toMatchObject([{ path: 'src/a b.txt' }]);
    for (const path of ['/repos/team/shop/files?path=nowhere', '/repos/team/shop/files?path=../../x', '/repos/team/x'])
      expect([path, (await get(app, path)).status]).toEqual([path, 404]);
    expect((await get(app, '/repos/team/shop/files?path=package.json')).status).toBe(400);
    expect((await get(app, '/repos/team/shop?branches=yes')).status).toBe(400);
  });

  it('return files as JSON or text', async () => {
    const file = (query: string) => get(app, `/repos/team/shop/file${query}`);
    expect((await file('')).body).toEqual({
      success: true,
      data: { name: 'shop' },
      format: 'json',
      path: 'package.json',
      bytes: 16,
    });
    expect((await file('?file=package.json&branch=main')).body).toMatchObject({ data: { name: 'shop' } });
    expect((await file('?file=broken.json')).body).toMatchObject({ data: '{', format: 'text' });
    expect((await file('?file=src/a%20b.txt')).body).toMatchObject({ data: 'Grüße', format: 'text' });
    for (const name of ['x.bin', 'latin.txt'])
      expect(await file(`?file=${name}`)).toMatchObject({ status: 400, body: { error: `${name} is not a text file` } });
    expect((await file('?file=src')).status).toBe(400);
    expect((await file('?file=')).status).toBe(400);
    expect((await file('?file=nothing.txt')).status).toBe(404);
  });

  it('are created and deleted with audit entries', async () => {
    const create = (body: object) => app.call('POST', '/api/githost/repos', { ...owner, body });
    const name = `${kind}-new`;
    expect(await create({ name, owner: 'team', private: false })).toMatchObject({
      status: 201,
      body: { success: true, data: { fullName: `team/${name}`, private: false } },
    });
    expect((await create({ name, owner: 'team' })).status, 'there already').toBe(409);
    expect(await create({ name, owner: 'octo' }), 'the app cannot; the account can').toMatchObject({ status: 201 });
    expect((await create({ name: 'x', owner: 'rivals' })).status).toBeGreaterThanOrEqual(400);
    for (const bad of ['', '../x', 'a/b', 'a b', '.', '..']) expect((await create({ name: bad })).status).toBe(400);
    expect((await app.call('DELETE', `/api/githost/repos/team/${name}`, owner)).body).toEqual({ success: true });
    expect((await get(app, `/repos/team/${name}`)).status).toBe(404);
    const entries = await app.database.db.selectFrom('audit_entries').select(['action', 'targetName']).execute();
    expect(entries).toContainEqual({ action: 'repository.created', targetName: `octo/${name}` });
    expect(entries).toContainEqual({ action: 'repository.deleted', targetName: `team/${name}` });
  });

  const cloneToken = async () => (await get(app, '/repos/team/shop/clone-token')).body as unknown as Token;
  const opens = ({ token }: Token) => host.gaps.mayClone('team/shop', token);

  it('are cloned with a token that is stored in no file', async () => {
    const source = newFolder('files');
    writeFileSync(join(source, 'hello.txt'), 'hello');
    host.git.push('team/shop', source, 'First');
    const given = await cloneToken();
    expect(Object.keys(given).toSorted()).toEqual(['cloneUrl', 'command', 'expiresAt', 'token']);
    const lasts = Date.parse(given.expiresAt) - Date.now();
    expect([lasts > 3_000_000, lasts < 3_600_000]).toEqual([true, true]);
    const folder = newFolder('clone');
    // Not synchronously: the git host runs in this process.
    await promisify(execFile)('sh', ['-c', given.command], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    expect(readFileSync(join(folder, 'shop/hello.txt'), 'utf8')).toBe('hello');
    const config = readFileSync(join(folder, 'shop/.git/config'), 'utf8');
    expect(config).not.toContain(given.token);
    expect(config).not.toMatch(/authorization/i);
    expect(await storedText(app)).not.toContain(given.token);
  });

  it('have clone tokens that expire in time, by another replica and after a restart', async () => {
    const given = await cloneToken();
    const replica = await startApp(kind, { replica: { of: app, name: 'other' } });
    onTestFinished(() => replica.database.db.destroy());
    await replica.gitHost.housekeeping.run(Date.parse(given.expiresAt) - 1);
    expect(opens(given), 'not before').toBe(true);
    await replica.gitHost.housekeeping.run(Date.parse(given.expiresAt));
    expect(opens(given)).toBe(false);
    const left = await app.database.db.selectFrom('githost_clone_tokens').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('have clone tokens whose revocation is retried while the git host is unreachable', async () => {
    const given = await cloneToken();
    const end = Date.parse(given.expiresAt);
    const gone = { webUrl: 'http://127.0.0.1:1', appKey: host.appKey };
    const away = await startWithHost(kind, gone, { replica: { of: app, name: 'away' } });
    onTestFinished(() => away.database.db.destroy());
    await away.gitHost.housekeeping.run(end);
    const kept = () => app.database.db.selectFrom('githost_clone_tokens').select('repository').execute();
    expect(await kept()).toEqual([{ repository: 'team/shop' }]);
    await app.gitHost.housekeeping.run(end);
    expect([opens(given), await kept()]).toEqual([false, []]);
  });

  it('have clone tokens that all expire in time, however many there are', async () => {
    const { id: organizationId } = await app.database.db
      .selectFrom('organizations')
      .select('id')
      .executeTakeFirstOrThrow();
    const old = { organizationId, userId: 'usr', repository: 'team/shop', token: 'x', createdAt: 0, expiresAt: 1 };
    await app.database.db
      .insertInto('githost_clone_tokens')
      .values(Array.from({ length: 250 }, (_, i) => ({ id: `ght_${i}`, ...old })))
      .execute();
    await app.gitHost.housekeeping.run();
    expect(await app.database.db.selectFrom('githost_clone_tokens').select('id').execute()).toEqual([]);
  });

  it('have clone tokens that are revoked on disconnect', async () => {
    const given = await cloneToken();
    const answer = await app.call('POST', '/api/githost/disconnect', { ...owner, body: {} });
    expect(answer.body).toEqual({ success: true, data: { sources: ['app', 'oauth'], warnings: [] } });
    expect(opens(given)).toBe(false);
    expect(await app.database.db.selectFrom('githost_clone_tokens').selectAll().execute()).toEqual([]);
    expect((await get(app, '/repos/team/shop/clone-token')).status).toBe(409);
    for (const path of ['/repos', '/orgs/team/repos', '/repos/team/shop', '/repos/team/shop/branches'])
      expect(await get(app, path)).toMatchObject({ status: 400, body: { code: 'not_connected' } });
  });
});

describe('clone command', () => {
  it('quotes hostile names', () => {
    const folder = newFolder('paste');
    const evil = `https://host/o'; touch ${folder}/pwned; '/$(touch ${folder}/pwned)\`touch ${folder}/pwned\`.git`;
    const command = cloneCommand({ url: evil, username: 'x', password: `'; touch ${folder}/pwned #` });
    const git = join(folder, 'git');
    writeFileSync(git, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/args'\n`, { mode: 0o755 });
    execFileSync('sh', ['-c', command], { env: { PATH: `${folder}:/usr/bin:/bin` } });
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    expect(readdirSync(folder).toSorted()).toEqual(['args', 'git']);
    const args = readFileSync(join(folder, 'args'), 'utf8').trim().split('\n');
    expect([args[0], ...args.slice(2)]).toEqual(['-c', 'clone', '--', evil]);
  });
});
