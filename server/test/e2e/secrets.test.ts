import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, begin, deploy, type DeploymentJson, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** Text that has to be escaped everywhere; its middle is a unique mark. */
const newSecret = () => {
  const mark = randomBytes(9).toString('hex');
  return { mark, value: `p/+ "${mark}" & $x` };
};

describe('a secret', () => {
  const [own, atBuild, added] = [newSecret(), newSecret(), newSecret()];
  const secrets = [own, atBuild, added];
  let service: Service;
  let git: GitServer;
  beforeAll(async () => {
    [service, git] = await Promise.all([startService({ env: { MOORING_LOG_LEVEL: 'debug' } }), startGitServer()]);
  });
  afterAll(async () => {
    await service?.stop();
    await git?.stop();
  });

  /** Plain and in common encodings: the mark stays readable in each. */
  const formsOf = ({ mark, value }: { mark: string; value: string }) => [
    mark,
    Buffer.from(value).toString('base64').slice(0, 24),
    Buffer.from(`user:${value}`).toString('base64').slice(12, 36),
  ];
  const expectNone = (where: string, text: string | Buffer) => {
    for (const form of secrets.flatMap(formsOf)) expect([where, text.includes(form)]).toEqual([where, false]);
  };
  const setVariables = async (project: string) => {
    const variables = {
      OWN: { value: own.value, secret: true },
      AT_BUILD: { value: atBuild.value, secret: true, buildTime: true },
    };
    await json(
      fetch(`${service.url}/api/projects/${project}/variables`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ variables }),
      }),
    );
  };
  /** Prints a variable in every form, also in two parts with a pause, and over two lines of one write. */
  const printing = (name: string) => `
const value = process.env.${name} ?? '';
for (const text of [value, JSON.stringify({ value }), encodeURIComponent(value), new URLSearchParams({ value }).toString(),
  Buffer.from(value).toString('base64'), 'Basic ' + Buffer.from('user:' + value).toString('base64')])
  console.log('${name} is', text);
process.stdout.write('in parts ' + value.slice(0, 9));
setTimeout(() => process.stdout.write(value.slice(9) + '\\nand more\\n'), 100);`;

  const answersAbout = async (project: string, { id }: DeploymentJson) => {
    const paths = [
      ...['', '/logs', '/build', '/info', '/usage', '/stream'].map((part) => `/api/deployments/${id}${part}`),
      '/api/deployments',
      '/api/audit?limit=100',
      '/api/projects',
      `/api/projects/${project}/variables`,
    ];
    return Promise.all(paths.map(async (path) => [path, await (await service.get(path)).text()] as const));
  };

  it('is in no response, event, log, process argument, or the database', async () => {
    const project = await ensureProject(service, 'secretive', { releaseCommand: 'node print-own.js' });
    await setVariables(project);
    const app = nodeApp('v1', `${printing('OWN')}${printing('ADDED').replaceAll('value', 'other')}`, {
      build: 'node print-build.js',
    });
    writeFileSync(join(app, 'print-build.js'), `${printing('AT_BUILD')}\nsetTimeout(() => {}, 1500);`);
    writeFileSync(join(app, 'print-own.js'), printing('OWN'));
    const id = await begin(service, project, app, { envVars: { ADDED: added.value } });
    const seen: string[] = [];
    await until('it has built', async () => {
      seen.push(...commandLines());
      return (await json<{ data: DeploymentJson }>(service.get(`/api/deployments/${id}`))).data.status !== 'building';
    });
    const deployment = await ended(service, id);
    expect(deployment.error).toBeNull();
    const env = JSON.parse((await ask(deployment.urls[0]!, '/env')).body.slice(2)) as Record<string, string>;
    expect(env, 'it is in the app').toMatchObject({ OWN: own.value, ADDED: added.value });
    await until('the app has printed', async () =>
      /in parts .*and more/s.test(await (await service.get(`/api/deployments/${id}/logs?kind=runtime`)).text()),
    );
    for (const [path, text] of await answersAbout(project, deployment)) expectNone(path, text);
    const logs = await (await service.get(`/api/deployments/${id}/logs`)).text();
    expect(logs.match(/(AT_BUILD|OWN|ADDED) is [^"]*\[hidden\]/g)?.length, 'hidden, not lost').toBeGreaterThanOrEqual(
      20,
    );
    expectNone('the service itself', service.output());
    expectNone('arguments of processes', [...seen, ...commandLines()].join('\n'));
    for (const file of ownFiles(service.dataDir)) expectNone(relative(service.dataDir, file), readFileSync(file));
  });

  it('that the source asks to generate is made once, kept, and in no response or file', async () => {
    const project = await ensureProject(service, 'generated');
    const app = nodeApp('v1', 'console.log("the key is", process.env.KEY_BASE);');
    writeFileSync(join(app, 'app.json'), JSON.stringify({ env: { KEY_BASE: { generator: 'secret' } } }));
    const keyOf = async ({ error, urls }: DeploymentJson) => {
      expect(error).toBeNull();
      return (JSON.parse((await ask(urls[0]!, '/env')).body.slice(2)) as Record<string, string>)['KEY_BASE']!;
    };
    const first = await deploy(service, project, app);
    const key = await keyOf(first);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    secrets.push({ mark: key, value: key });
    expect(await keyOf(await deploy(service, project, app))).toBe(key);
    for (const [path, text] of await answersAbout(project, first)) expectNone(path, text);
    for (const file of ownFiles(service.dataDir)) expectNone(relative(service.dataDir, file), readFileSync(file));
  });

  it('is not in the message of a failure', async () => {
    const project = await ensureProject(service, 'failing');
    await setVariables(project);
    const crashing = nodeApp('x', 'console.error("no database at", process.env.OWN); process.exit(1);');
    const failed = await deploy(service, project, crashing, { envVars: { ADDED: added.value } });
    expect(failed.error!.message).toContain('[hidden]');
    for (const [path, text] of await answersAbout(project, failed)) expectNone(path, text);
    expectNone('the service itself', service.output());
  });

  it('is redacted in a commit message', async () => {
    const commit = git.push(
      'told',
      nodeApp('told'),
      `The key is ${own.value}\n\n${Buffer.from(own.value).toString('base64')}`,
    );
    const project = await ensureProject(service, 'told', { source: { type: 'git', url: git.url('told') } });
    await setVariables(project);
    const { data } = await json<{ data: { id: string } }>(service.post('/api/deployments', { projectId: project }));
    const deployment = await ended(service, data.id);
    expect(deployment).toMatchObject({ error: null, commitSha: commit });
    for (const [path, text] of await answersAbout(project, deployment)) expectNone(path, text);
  });

  it('in a git URL is rejected with the alternative, and stored nowhere', async () => {
    const credential = newSecret();
    secrets.push(credential);
    const { mark } = credential;
    const { host, pathname } = new URL(git.url('told'));
    for (const url of [
      `http://user:${mark}@${host}${pathname}`,
      `http://${mark}@${host}${pathname}`,
      `http://user%3A${mark}@${host}${pathname}`,
      `http://${host}${pathname}?token=${mark}`,
      `ssh://git:${mark}@${host}${pathname}`,
    ]) {
      const source = { type: 'git', url };
      for (const answer of [
        await service.post('/api/projects', { name: 'with credentials', source }),
        await service.post('/api/projects/ensure', { name: 'with credentials', source }),
        await service.post('/api/deployments/prepare', { source: 'githost', url }),
      ]) {
        const text = await answer.text();
        expect([url, answer.status]).toEqual([url, 400]);
        expect(text).toMatch(/url must not (carry|have)/);
        expectNone(url, text);
      }
    }
    for (const text of [
      service.output(),
      ...commandLines(),
      ...ownFiles(service.dataDir).map((file) => readFileSync(file)),
    ])
      expect(text.includes(mark)).toBe(false);
  });
});

/** The arguments of every process, as visible to all users of the machine. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        // It ended in the meantime.
        return [];
      }
    });
}

/** All files of the service about a deployment, including the app's output. */
function ownFiles(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\/(releases|homes|uploads)\//.test(path));
}
