import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, begin, deploy, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { type Service, startService } from '../rig/service.ts';

describe('files outside a release', () => {
  let service: Service;
  let git: GitServer;
  let root: string;
  beforeAll(async () => {
    root = newFolder('roots');
    const env = { MOORING_LOG_LEVEL: 'warn', MOORING_START_TIMEOUT: '5', MOORING_LOCAL_SOURCE_ROOTS: root };
    [service, git] = await Promise.all([startService({ env }), startGitServer()]);
  });
  afterAll(async () => {
    await service?.stop();
    await git?.stop();
  });

  const fromGit = async (projectId: string) =>
    ended(service, (await json<{ data: { id: string } }>(service.post('/api/deployments', { projectId }))).data.id);

  it('are not served through symlinks that the build makes', async () => {
    const links = [
      'mkdir -p out/deep && cd out && echo page > index.html && echo hidden > .env && echo deep > deep/index.html',
      'ln -s /etc etc && ln -s /etc/passwd passwd && ln -s / slash && ln -s ../../.. up && ln -s /proc/self/environ environ',
      `ln -s ${service.dataDir}/secret.key key && ln -s ${service.dataDir} data && ln -s ../package.json outside.json`,
      'ln -s slash/etc chain && ln -s .env env && ln -s /nothing dangling && ln -s loop loop && mkfifo pipe',
      'ln -s index.html inside.html && ln -s deep other && (ln /etc/passwd hard || true)',
    ].join(' && ');
    const project = await ensureProject(service, 'links', { buildCommand: links, outputDirectory: 'out' });
    const { error, urls } = await deploy(service, project, folderOf({ 'package.json': '{"name":"top-secret"}' }));
    expect(error).toBeNull();
    const [url = ''] = urls;
    for (const path of ['/', '/inside.html', '/deep/', '/other/'])
      expect([path, (await ask(url, path)).status]).toEqual([path, 200]);
    for (const path of [
      '/etc/passwd',
      '/passwd',
      '/slash/etc/passwd',
      '/up/secret.key',
      '/up/mooring.db',
      '/environ',
      '/key',
      '/data/secret.key',
      '/data/',
      '/outside.json',
      '/chain/passwd',
      '/env',
      '/.env',
      '/dangling',
      '/loop',
      '/pipe',
      '/deep/../../package.json',
      '/deep/%2e%2e/%2e%2e/package.json',
      '/deep/..%2f..%2fpackage.json',
      '/..%5c..%5cpackage.json',
      '//etc/passwd',
      '/%00',
    ]) {
      const { status, body } = await ask(url, path);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      expect([path, /root:|top-secret|PATH=|hidden/.test(body)]).toEqual([path, false]);
    }
  });

  it.each(['x', 'x/y', './/x'])(
    'are not a site if the build turns the output directory %s into a symlink',
    async (out) => {
      const project = await ensureProject(service, `out ${out}`, {
        buildCommand: 'rm -rf x && ln -s / x && ln -s etc y',
        outputDirectory: out === 'x/y' ? 'x/etc' : out,
      });
      expect(await deploy(service, project, folderOf({ 'index.html': 'x' }))).toMatchObject({
        error: { code: 'no_output' },
      });
    },
  );

  it('are not inspected through symlinks in a repository', async () => {
    const folder = folderOf({ 'README.md': 'x' });
    writeFileSync(join(root, 'package.json'), '{"name":"not-yours","scripts":{"start":"echo not yours"}}');
    symlinkSync(root, join(folder, 'linked'));
    symlinkSync(join(root, 'package.json'), join(folder, 'package.json'));
    symlinkSync('/proc/self/environ', join(folder, '.env.example'));
    git.push('linked', folder, 'Links');
    const answer = await service.post('/api/deployments/prepare', { source: 'githost', url: git.url('linked') });
    const prepared = await answer.text();
    expect([answer.status, prepared]).toEqual([200, expect.not.stringMatching(/not.yours|PATH/)]);
    const source = { type: 'git', url: git.url('linked') };
    for (const [rootDirectory, startCommand, code] of [
      [null, null, 'nothing_to_run'],
      ['linked', null, 'no_root_directory'],
      ['linked', 'cat package.json', 'no_root_directory'],
      ['nowhere', 'cat package.json', 'no_root_directory'],
      ['x'.repeat(300), null, 'no_root_directory'],
    ]) {
      const project = await ensureProject(service, 'linked', { source, rootDirectory, startCommand });
      expect(await fromGit(project)).toMatchObject({ status: 'failed', error: { code } });
    }
  });

  it('are not copied when a local source becomes a symlink after the check', async () => {
    const path = join(root, 'app');
    mkdirSync(path);
    writeFileSync(join(path, 'index.html'), 'mine');
    const project = await ensureProject(service, 'turning', { source: { type: 'local', path } });
    const start = () =>
      json<{ deployment_id: string }>(service.post('/api/deployments/build/access', { projectId: project }));
    expect((await ended(service, (await start()).deployment_id)).error).toBeNull();
    renameSync(path, `${path}-before`);
    for (const target of [service.dataDir, '/etc', '/proc/self', `${service.dataDir}/..`]) {
      symlinkSync(target, path);
      const { deployment_id: id } = await start();
      const { status, error } = await ended(service, id);
      expect([target, status, error!.message]).toEqual([target, 'failed', expect.stringMatching(/source.path must/)]);
      expect(readdirSync(join(service.dataDir, 'releases'))).not.toContain(id);
      rmSync(path);
    }
  });

  it('cannot be a local source: neither the data folder nor the system, nor through a detour', async () => {
    mkdirSync(join(root, 'a'), { recursive: true });
    symlinkSync(service.dataDir, join(root, 'a', 'data'));
    symlinkSync('/', join(root, 'a', 'slash'));
    for (const path of [
      service.dataDir,
      join(service.dataDir, 'releases'),
      join(root, 'a', 'data'),
      join(root, 'a', 'slash', 'etc'),
      join(root, 'a', 'slash', 'proc', 'self', 'cwd'),
      `${root}/a/../../../..`,
      '/proc/self/root',
      '/proc',
      '/etc',
      '/',
      '.',
      'relative',
    ]) {
      const create = await service.post('/api/projects', {
        name: `local ${path}`.slice(-60),
        source: { type: 'local', path },
      });
      const prepare = await service.post('/api/deployments/prepare', { source: 'local', path });
      expect([path, create.status, prepare.status]).toEqual([path, 400, 400]);
    }
  });

  it('stay unchanged when an upload contains a symlink to them', async () => {
    const folder = folderOf({ 'index.html': 'x' });
    symlinkSync(service.dataDir, join(folder, 'data'));
    const project = await ensureProject(service, 'uploaded links');
    await expect(begin(service, project, folder)).rejects.toThrow(/400.*leads outside/);
    expect(readdirSync(join(service.dataDir, 'uploads')).filter((name) => name.endsWith('.draft'))).toEqual([]);
  });
});
