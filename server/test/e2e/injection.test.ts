import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deploy, ended, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { newCanary, oddTexts } from '../rig/odd-input.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Started = { deployment_id: string };
type Created = { data: { id: string; branch: string | null } };

describe('shell commands as values', () => {
  const canary = newCanary();
  let service: Service;
  let git: GitServer;
  beforeAll(async () => {
    [service, git] = await Promise.all([startService({ env: { MOORING_LOG_LEVEL: 'warn' } }), startGitServer()]);
  });
  afterAll(async () => {
    await service?.stop();
    await git?.stop();
    expect(canary.isAlive(), 'nothing that was sent was run').toBe(true);
  });

  const site = () => folderOf({ 'index.html': 'a site' });
  const act = (id: string, action: string, body: object = {}) => service.post(`/api/deployments/${id}/${action}`, body);
  const after = async (id: string, action: string, body: object = {}) =>
    ended(service, (await json<Started>(act(id, action, body))).deployment_id);
  const remove = (path: string) =>
    json(
      fetch(service.url + path, { method: 'DELETE', headers: { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` } }),
    );

  // Git allows nearly everything in the name of a branch.
  const touch = `touch\${IFS}${canary.folder}`;
  const branches = [
    `$(${touch}/branch-a)`,
    `x;${touch}/branch-b;`,
    `\`${touch}/branch-c\``,
    `"'$(${touch}/branch-f)'"`,
    'FETCH_HEAD',
    'refs/heads/main',
    'ü-😀-<b>',
    '#1!{2},(3)=%4',
  ];

  it.each(branches)('are harmless as the name of a branch: %s', async (branch) => {
    const commit = git.push(
      'branches',
      site(),
      `Commit\n\n$(${touch}/message) <script>alert(1)</script> \u001b[31m`,
      branch,
    );
    const source = { type: 'git', url: git.url('branches') };
    const projectId = await ensureProject(service, 'branches', { source });
    const { data } = await json<Created>(service.post('/api/deployments', { projectId, branch }));
    expect(data.branch).toBe(branch);
    expect(await ended(service, data.id)).toMatchObject({ error: null, status: 'ready', commitSha: commit });
    if (branch !== branches[0]) return;
    expect(await after(data.id, 'redeploy', { useExistingCommit: true })).toMatchObject({ commitSha: commit });
    expect((await service.get(`/api/deployments/${data.id}`)).headers.get('content-type')).toContain(
      'application/json',
    );
  });

  it('are harmless as the name of a repository', async () => {
    const odd = `we$(${touch.replaceAll('/', '_')})ird; 'x' --upload-pack=y`;
    git.push(odd, site(), 'First');
    const url = git.url(encodeURIComponent(odd));
    const projectId = await ensureProject(service, 'odd repository', { source: { type: 'git', url } });
    const { data } = await json<Created>(service.post('/api/deployments', { projectId }));
    expect(await ended(service, data.id)).toMatchObject({ error: null, status: 'ready' });
    expect((await service.post('/api/deployments/prepare', { source: 'githost', url })).status).toBe(200);
  });

  it('are harmless in every operation on a project', async () => {
    const root = `$(${touch}/root); x`;
    const fields = {
      rootDirectory: root,
      healthCheck: { path: `/$(${touch}/health);'"\`x\`` },
      startCommand: 'node server.js',
      framework: canary.values[0],
      packageManager: canary.values[2],
      nodeVersion: canary.values[8],
      publicEndpoints: [{ targetPath: canary.values[0]!.replaceAll(/[\s?#]/g, '${IFS}'), service: canary.values[2] }],
    };
    const name = canary.values[0]!.slice(0, 80);
    const project = await ensureProject(service, name, fields);
    const program = readFileSync(join(nodeApp('v1'), 'server.js'), 'utf8');
    const first = await deploy(service, project, folderOf({ [join(root, 'server.js')]: program }), {
      environment: 'a-b-c',
    });
    expect(first.error).toBeNull();
    expect((await ask(first.urls[0]!)).body).toBe('v1');
    expect((await act(first.id, 'restart')).status).toBe(200);
    const second = await after(first.id, 'redeploy');
    expect((await after(first.id, 'rollback')).error).toBeNull();
    await json(act(second.id, 'pin'));
    const slow = await ensureProject(service, name, { installCommand: 'echo begun; sleep 60' });
    const { deployment_id: building } = await json<Started>(act(second.id, 'redeploy'));
    await until('it builds', async () =>
      (await (await service.get(`/api/deployments/${building}/logs`)).text()).includes('begun'),
    );
    expect((await act(building, 'cancel')).status).toBe(200);
    expect((await ended(service, building)).status).toBe('cancelled');
    await remove(`/api/deployments/${second.id}`);
    await remove(`/api/projects/${slow}`);
    expect((await ask(first.urls[0]!)).status).toBe(404);
  });

  it('cannot be used as the address of another project', async () => {
    const [short, long] = [await ensureProject(service, 'shop'), await ensureProject(service, 'shop-preview')];
    const mine = await deploy(service, short, site(), { environment: 'preview' });
    const theirs = await deploy(service, long, site());
    expect([mine.error, theirs.error]).toEqual([null, null]);
    expect(mine.urls).not.toEqual(theirs.urls);
  });

  it('reach the app unchanged, or are rejected by name', async () => {
    const everyCharacter = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)).join('');
    const values = [
      ...canary.values,
      ...oddTexts,
      everyCharacter,
      '\n',
      'a\r\nb\n\n',
      '=',
      '=a=b',
      "'",
      '"',
      '\\',
      '\\n',
    ];
    const taken = values.filter(
      (value) => !value.includes('\0') && value.isWellFormed() && Buffer.byteLength(value) <= 32_768,
    );
    const named = (prefix: string) => Object.fromEntries(taken.map((value, i) => [`${prefix}_${i}`, value]));
    const project = await ensureProject(service, 'every value');
    const set = (variables: object) =>
      fetch(`${service.url}/api/projects/${project}/variables`, {
        method: 'PATCH',
        headers: { authorization: `Bearer mrg_pat_${'o'.repeat(43)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ variables }),
      });
    // Property names that every JavaScript object inherits.
    const inherited = { toString: 'a', constructor: 'b', hasOwnProperty: 'c' };
    await json(set({ ...named('OWN'), ...inherited }));
    const { error, urls } = await deploy(service, project, nodeApp('v'), { envVars: named('ADDED') });
    expect(error).toBeNull();
    const env = JSON.parse((await ask(urls[0]!, '/env')).body.slice(1)) as Record<string, string>;
    expect(env).toMatchObject({ ...named('OWN'), ...inherited, ...named('ADDED') });
    for (const value of values.filter((each) => !taken.includes(each))) {
      const refused = await set({ BAD: value });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('variables.BAD') as string]);
    }
  });
});
