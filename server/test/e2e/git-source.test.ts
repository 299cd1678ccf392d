import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, ended, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { startSshd } from '../rig/sshd.ts';

describe('deployments from a git repository', () => {
  let service: Service;
  let git: GitServer;
  beforeAll(async () => {
    [service, git] = await Promise.all([startService({ env: { MOORING_LOG_LEVEL: 'warn' } }), startGitServer()]);
  });
  afterAll(async () => {
    await service?.stop();
    await git?.stop();
  });

  type Created = { data: { id: string } };
  const fromGit = async (body: object) =>
    ended(service, (await json<Created>(service.post('/api/deployments', body))).data.id);
  const again = async (id: string, body: object) =>
    ended(
      service,
      (await json<{ deployment_id: string }>(service.post(`/api/deployments/${id}/redeploy`, body))).deployment_id,
    );

  it('deploys the latest commit, and exactly the previous one on request', async () => {
    const first = git.push('shop', nodeApp('v1'), 'First version');
    const projectId = await ensureProject(service, 'shop', {
      source: { type: 'git', url: git.url('shop'), branch: 'main' },
    });
    const one = await fromGit({ projectId });
    expect(one.error).toBeNull();
    expect(one).toMatchObject({ status: 'ready', commitSha: first, commitMessage: 'First version' });
    const second = git.push('shop', nodeApp('v2'), 'Second version');
    const two = await again(one.id, {});
    expect(two).toMatchObject({ status: 'ready', commitSha: second, redeployOf: one.id });
    expect((await ask(two.urls[0]!)).body).toBe('v2');
    const exact = await again(one.id, { useExistingCommit: true });
    expect(exact).toMatchObject({ status: 'ready', commitSha: first });
    expect((await ask(exact.urls[0]!)).body).toBe('v1');
    git.push('shop', nodeApp('feature'), 'On a branch', 'feature');
    const branch = await fromGit({ projectId, branch: 'feature', environment: 'preview' });
    expect(branch.urls[0]).toContain('shop--preview.');
    expect((await ask(branch.urls[0]!)).body).toBe('feature');
    expect((await ask(exact.urls[0]!)).body, 'production is not touched').toBe('v1');
  });

  it('fetches submodules, and warns about one that it cannot reach', async () => {
    const module = (path: string, url: string) => `[submodule "${path}"]\npath = ${path}\nurl = ${url}\n`;
    const text = git.push('text', folderOf({ 'text.txt': 'from the deepest' }), 'Text');
    const theme = git.push(
      'theme',
      folderOf({ 'theme.js': 'module.exports = "theme"', '.gitmodules': module('deep', '../text.git') }),
      'Theme',
      'main',
      { deep: text },
    );
    const app = nodeApp(
      '',
      `const { readFileSync, readdirSync } = require('node:fs');
console.log([require('./themes/a/theme.js'), readFileSync('themes/a/deep/text.txt'), readdirSync('lost').length].join());`,
    );
    writeFileSync(join(app, '.gitmodules'), module('themes/a', git.url('theme')) + module('lost', '../none.git'));
    git.push('themed', app, 'App', 'main', { 'themes/a': theme, lost: text });
    const projectId = await ensureProject(service, 'themed', { source: { type: 'git', url: git.url('themed') } });
    const done = await fromGit({ projectId });
    expect(done.error).toBeNull();
    const log = await (await service.get(`/api/deployments/${done.id}/logs`)).text();
    expect(log).toContain('theme,from the deepest,0');
    expect(log).toContain('The submodule lost is missing, its folder is empty: fetching ');
  });

  it('reports the problem of a source', async () => {
    const projectId = await ensureProject(service, 'nowhere', { source: { type: 'git', url: git.url('nowhere') } });
    expect(await fromGit({ projectId })).toMatchObject({
      status: 'failed',
      error: { code: 'source_failed', step: 'source' },
    });
    for (const branch of ['-upload-pack=touch /tmp/x', '--help', 'a b', 'a..b', '../x', 'x\ny'])
      expect((await service.post('/api/deployments', { projectId, branch })).status, branch).toBe(400);
    for (const url of ['file:///etc', '--upload-pack=x', 'ext::sh -c id', '/etc', 'http://user:secret@127.0.0.1/x.git'])
      expect(
        (await service.post('/api/projects', { name: `bad ${url}`.slice(0, 60), source: { type: 'git', url } })).status,
        url,
      ).toBe(400);
    const upload = await ensureProject(service, 'no git here');
    expect((await service.post('/api/deployments', { projectId: upload })).status).toBe(400);
  });

  it.runIf(has('sshd'))('reads a private repository over SSH with its deploy key, and pins the host key', async () => {
    const sshd = await startSshd();
    git.push('private', nodeApp('private'), 'Over ssh');
    const source = { type: 'git', url: `ssh://${sshd.user}@127.0.0.1:${sshd.port}${git.folder('private')}` };
    const projectId = await ensureProject(service, 'private', { source });
    const without = await fromGit({ projectId });
    expect(without).toMatchObject({ status: 'failed', error: { code: 'source_failed' } });
    expect(without.error!.hint).toContain('deploy key');
    type Key = { data: { publicKey: string; fingerprint: string } };
    const made = await service.post(`/api/projects/${projectId}/deploy-key`, {});
    expect(made.status).toBe(201);
    const { data: key } = (await made.json()) as Key;
    sshd.allow(key.publicKey);
    expect(await json<Key>(service.get(`/api/projects/${projectId}/deploy-key`))).toMatchObject({ data: key });
    const deployed = await fromGit({ projectId });
    expect(deployed.error).toBeNull();
    expect((await ask(deployed.urls[0]!)).body).toBe('private');
    expect(readdirSync(join(service.dataDir, 'tmp')), 'the key is not left on disk').toEqual([]);
    await sshd.changeHostKey();
    expect((await fromGit({ projectId })).error!.message).toMatch(/host key|verification failed/i);
    const headers = { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` };
    const remove = () => fetch(`${service.url}/api/projects/${projectId}/deploy-key`, { method: 'DELETE', headers });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 404]);
    await sshd.stop();
  });

  it('uses no credentials from files that the project has put into its home', async () => {
    const netrc = join(newFolder('operator'), 'netrc');
    writeFileSync(netrc, 'machine 127.0.0.1 login operator password secret-of-the-operator\n');
    const shown: string[] = [];
    const closed = await startGitServer((_, password) => password !== '' && shown.push(password) > 0);
    onTestFinished(() => closed.stop());
    git.push('netrc', nodeApp('v1', '', { build: `ln -sf ${netrc} ~/.netrc && ls -l ~/.netrc` }), 'Plant a link');
    const projectId = await ensureProject(service, 'netrc', { source: { type: 'git', url: git.url('netrc') } });
    expect((await fromGit({ projectId })).error).toBeNull();
    closed.push('private', nodeApp('private'), 'For the operator alone');
    const source = { type: 'git', url: closed.url('private') };
    expect((await service.patch(`/api/projects/${projectId}`, { source })).status).toBe(200);
    expect((await fromGit({ projectId })).error).toMatchObject({ code: 'source_failed' });
    expect(shown).toEqual([]);
  });

  it('inspects a repository and a folder without storing anything', async () => {
    git.push('looked', nodeApp('x'), 'Look at me');
    type Prepared = { data: { startCommand: string; reasons: string[] } };
    const prepare = (body: object) => service.post('/api/deployments/prepare', body);
    const { data } = await json<Prepared>(prepare({ source: 'githost', url: git.url('looked') }));
    expect(data.startCommand).toBe('node server.js');
    expect(data.reasons.length).toBeGreaterThan(0);
    expect((await json<Prepared>(prepare({ source: 'local', path: nodeApp('y') }))).data.startCommand).toBe(
      'node server.js',
    );
    expect((await prepare({ source: 'elsewhere' })).status).toBe(400);
    expect((await prepare({ source: 'local' })).status).toBe(400);
    expect((await prepare({ source: 'local', path: '/etc' })).status).toBe(400);
    expect((await prepare({ source: 'githost', url: git.url('none') })).status).toBe(400);
    const { data: list } = await json<{ data: unknown[] }>(service.get('/api/deployments?limit=100'));
    expect(JSON.stringify(list)).not.toContain('Look at me');
  });
});
