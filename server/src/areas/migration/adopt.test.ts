import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../../../test/rig/app.ts';
import { has } from '../../../test/rig/parts.ts';
import { join, newToken } from '../../../test/rig/people.ts';
import { readDocument } from '../../compose/document.ts';
import { composeLabels, type ScanRig, startScanRig } from './migration-rig.ts';

type Adopted = {
  project_id: string;
  project: Record<string, unknown>;
  adopted: string[];
  warnings: string[];
  error: string;
  code: string;
  details: { field: string; message: string }[];
};

const inOrder = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe.runIf(has('docker') && has('sshd'))('adopting containers on a server', () => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig();
  });
  afterEach(() => harbour.empty());
  afterAll(() => harbour?.close());

  const bodyOf = (answer: Answer) => answer.body as unknown as Adopted;
  const adopt = async (serviceNames: string[], more: object = {}) => {
    const answer = await harbour.adopt({ projectName: 'shop', serviceNames, ...more });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return bodyOf(answer);
  };
  const refused = async (serviceNames: string[], more: object = {}) => {
    const answer = await harbour.adopt({ projectName: 'shop', serviceNames, ...more });
    return { status: answer.status, ...bodyOf(answer) };
  };
  const row = (id: string) =>
    harbour.app.database.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const document = async (id: string) =>
    harbour.app.instance.sealer.open((await row(id)).services!, { table: 'projects', column: 'services', row: id });
  const parsed = async (id: string) => readDocument('shop', await document(id));
  const count = async (table: 'projects' | 'adoptions' | 'host_names') =>
    (await harbour.app.database.db.selectFrom(table).selectAll().execute()).length;

  it('writes a container as a compose file that our parser reads', async () => {
    await harbour.post('/networks/create', {
      Name: 'shop_default',
      Labels: { 'com.docker.compose.network': 'default' },
    });
    const id = await harbour.create('shop-web-1', {
      Labels: { ...composeLabels('shop', 'web'), 'org.example.owner': 'ada', 'traefik.enable': 'true' },
      Env: ['PRICE=5$ for $HOME ${X}', 'TOKEN=abc=def==', 'LINES=one\ntwo', 'EMPTY=', 'ODD=" # : - \u2028 é 😀'],
      Entrypoint: ['sh', '-c'],
      Cmd: ['echo $HOME; sleep 600'],
      User: '1000:1000',
      WorkingDir: '/srv',
      Hostname: 'web',
      StopSignal: 'SIGINT',
      StopTimeout: 7,
      Healthcheck: { Test: ['CMD-SHELL', 'test -n "$HOME"'], Interval: 5e9, Timeout: 15e8, Retries: 4 },
      ExposedPorts: { '80/tcp': {}, '53/udp': {} },
      HostConfig: {
        NetworkMode: 'shop_default',
        Binds: ['shop_data:/data', 'shared:/shared:ro'],
        Mounts: [{ Type: 'tmpfs', Target: '/cache', TmpfsOptions: { SizeBytes: 1_048_576 } }],
        Tmpfs: { '/run': 'size=64k' },
        PortBindings: {
          '80/tcp': [{ HostPort: '18080' }, { HostIp: '127.0.0.1', HostPort: '18081' }],
          '53/udp': [{ HostPort: '' }],
        },
        RestartPolicy: { Name: 'unless-stopped' },
        Memory: 67_108_864,
        MemorySwap: 134_217_728,
        NanoCpus: 250_000_000,
        PidsLimit: 100,
        ShmSize: 1_048_576,
        ExtraHosts: ['other:10.0.0.9'],
        Dns: ['10.0.0.53'],
        Ulimits: [{ Name: 'nofile', Soft: 1024, Hard: 2048 }],
        Sysctls: { 'net.core.somaxconn': '512' },
        CapDrop: ['NET_RAW'],
        GroupAdd: ['1001'],
        ReadonlyRootfs: true,
        Init: true,
        LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
      },
      NetworkingConfig: { EndpointsConfig: { shop_default: { Aliases: ['web', 'www'] } } },
    });
    const { project_id, project, adopted, warnings } = await adopt(['shop/web']);
    expect(adopted).toEqual(['shop/web']);
    expect(project).toMatchObject({
      id: project_id,
      name: 'shop',
      slug: 'shop',
      source: { type: 'services' },
      serverId: harbour.serverId,
      trusted: false,
    });
    const { services, volumes, networks } = await parsed(project_id);
    expect(services).toHaveLength(1);
    expect(services[0]).toMatchObject({
      name: 'web',
      image: 'busybox:latest',
      pullPolicy: 'never',
      entrypoint: ['sh', '-c'],
      command: ['echo $HOME; sleep 600'],
      environment: {
        PRICE: '5$ for $HOME ${X}',
        TOKEN: 'abc=def==',
        LINES: 'one\ntwo',
        EMPTY: '',
        ODD: '" # : - \u2028 é 😀',
      },
      labels: { 'org.example.owner': 'ada' },
      user: '1000:1000',
      workingDirectory: '/srv',
      hostname: 'web',
      stopSignal: 'SIGINT',
      stopGraceMs: 7000,
      healthcheck: { test: ['CMD-SHELL', 'test -n "$HOME"'], intervalMs: 5000, timeoutMs: 1500, retries: 4 },
      restart: { policy: 'unless-stopped', isGiven: true },
      limits: { memoryBytes: 67_108_864, memorySwapBytes: 134_217_728, cpus: 0.25, pids: 100 },
      shmBytes: 1_048_576,
      extraHosts: [{ host: 'other', address: '10.0.0.9' }],
      dns: ['10.0.0.53'],
      ulimits: { nofile: { soft: 1024, hard: 2048 } },
      sysctls: { 'net.core.somaxconn': '512' },
      groups: ['1001'],
      isReadOnly: true,
      hasInit: true,
      tmpfs: ['/run:size=64k'],
      networks: [{ name: 'default', aliases: ['www', 'shop-web-1'] }],
    });
    expect(services[0]!.isolation).toMatchObject({ capDrop: ['NET_RAW'], capAdd: [], isPrivileged: false });
    const short = services[0]!.ports.map(({ target, published, hostIp, protocol }) => [
      target,
      published?.from,
      hostIp,
      protocol,
    ]);
    expect(short.toSorted(inOrder)).toEqual([
      [53, undefined, null, 'udp'],
      [80, 18080, null, 'tcp'],
      [80, 18081, '127.0.0.1', 'tcp'],
    ]);
    const mounts = services[0]!.mounts.map(({ type, target, isReadOnly }) => [type, target, isReadOnly]);
    expect(mounts.toSorted(inOrder)).toEqual([
      ['tmpfs', '/cache', false],
      ['volume', '/data', false],
      ['volume', '/shared', true],
    ]);
    expect(volumes.map(({ name, externalName }) => [name, externalName])).toEqual([
      ['shared', 'shared'],
      ['shop_data', 'shop_data'],
    ]);
    expect(networks.map(({ name, externalName }) => [name, externalName])).toEqual([['default', null]]);
    expect(warnings.join('\n')).toMatch(/it is not running \(created\)/);
    expect(warnings.join('\n')).toMatch(/services.web.logging is ignored/);
    const adoption = await harbour.app.database.db.selectFrom('adoptions').selectAll().executeTakeFirstOrThrow();
    expect(adoption).toMatchObject({ projectId: project_id, serverId: harbour.serverId, state: 'adopted' });
    expect(JSON.parse(adoption.originals)).toMatchObject({
      web: [
        {
          containerId: id,
          name: 'shop-web-1',
          restartPolicy: { name: 'unless-stopped' },
          networks: [{ name: 'shop_default', aliases: expect.arrayContaining(['web', 'www']) as string[] }],
        },
      ],
    });
  });

  it('omits defaults of the image', async () => {
    await harbour.create('plain', { Cmd: ['sh'], Labels: { own: '1' } });
    const { project_id } = await adopt(['plain']);
    const { services } = JSON.parse(await document(project_id)) as { services: Record<string, object> };
    expect(services['plain']).toEqual({
      image: 'busybox:latest',
      pull_policy: 'never',
      labels: { own: '1' },
      restart: 'no',
    });
  });

  it('keeps networks that other containers use, and dependencies on adopted services', async () => {
    await harbour.post('/networks/create', { Name: 'proxy' });
    await harbour.post('/networks/create', { Name: 'back' });
    const on = (...names: string[]) => ({ EndpointsConfig: Object.fromEntries(names.map((name) => [name, {}])) });
    const depends = { depends_on: 'db:service_started:false,cache:service_healthy:false' };
    const host = { HostConfig: { NetworkMode: 'back' } };
    await harbour.create('proxy', { HostConfig: { NetworkMode: 'proxy' } });
    await harbour.create('db', { ...host, Labels: composeLabels('app', 'db'), NetworkingConfig: on('back') });
    const web = await harbour.create('web', {
      ...host,
      Labels: composeLabels('app', 'web', depends),
      NetworkingConfig: on('back'),
    });
    await harbour.post('/networks/proxy/connect', { Container: web, EndpointConfig: { Aliases: ['front'] } });
    const { project_id, warnings } = await adopt(['web', 'app/db']);
    const { services, networks } = await parsed(project_id);
    expect(networks.map(({ name, externalName }) => [name, externalName]).toSorted(inOrder)).toEqual([
      ['back', null],
      ['proxy', 'proxy'],
    ]);
    const found = services.find(({ name }) => name === 'web')!;
    expect(found.networks).toEqual(
      expect.arrayContaining([
        { name: 'back', aliases: [] },
        { name: 'proxy', aliases: ['front'] },
      ]),
    );
    expect(found.dependsOn.map(({ service }) => service)).toEqual(['db']);
    expect(warnings).toContain('app/web: it depends on cache, which is not adopted with it');
    expect(warnings.join('\n')).toContain('the network proxy stays as it is');
  });

  it('adopts several containers of one service as one, and uses anonymous volumes in place', async () => {
    const labels = (number: string) => ({
      ...composeLabels('app', 'job'),
      'com.docker.compose.container-number': number,
    });
    await harbour.create('app-job-2', { Labels: labels('2') });
    const first = await harbour.create('app-job-1', { Labels: labels('1'), Volumes: { '/state': {} } });
    expect(await harbour.service('app/job')).toMatchObject({ replicas: 2, containerId: first });
    const { project_id, warnings } = await adopt(['job']);
    const { services, volumes } = await parsed(project_id);
    expect(services[0]).toMatchObject({ name: 'job', replicas: 2 });
    expect(volumes[0]!.externalName).toMatch(/^[0-9a-f]{64}$/);
    expect(warnings.join('\n')).toContain('volumes without a name (1)');
  });

  it('requires trusted, which only the instance owner can set, for access to the machine', async () => {
    await harbour.create('loud', {
      HostConfig: { Privileged: true, Binds: ['/var/run/docker.sock:/var/run/docker.sock'] },
    });
    await harbour.post('/volumes/create', { Name: 'root', DriverOpts: { type: 'none', o: 'bind', device: '/' } });
    await harbour.create('sly', { HostConfig: { Binds: ['root:/root'] } });
    expect((await harbour.service('loud')).needsTrust.length).toBeGreaterThan(1);
    const { status, code, details } = await refused(['loud', 'sly']);
    expect([status, code]).toEqual([400, 'not_trusted']);
    expect(details).toEqual(
      expect.arrayContaining([
        { field: 'loud', message: expect.stringContaining('privileged') as string },
        { field: 'loud', message: expect.stringContaining('Docker socket') as string },
        { field: 'sly', message: expect.stringContaining('mounted from elsewhere') as string },
      ]),
    );
    const admin = await join(harbour.app, 'admin@example.com', 'admin');
    const asAdmin = { token: await newToken(harbour.app, admin.cookie, '*') };
    const body = { projectName: 'shop', serviceNames: ['loud'], trusted: true };
    expect((await harbour.adopt(body, asAdmin)).status).toBe(403);
    expect([await count('projects'), await count('adoptions')]).toEqual([0, 0]);
    const { project, project_id } = await adopt(['loud'], { trusted: true });
    expect(project['trusted']).toBe(true);
    const entries = await harbour.app.database.db.selectFrom('audit_entries').selectAll().execute();
    const entry = entries.find(({ action, targetId }) => action === 'migration.adopted' && targetId === project_id);
    expect(JSON.parse(entry!.details)).toMatchObject({ services: 'loud', trusted: true, serverId: harbour.serverId });
  });

  it('adopts all services of a group by its name, and says which stay outside', async () => {
    const network = { NetworkMode: 'notes_default' };
    await harbour.post('/networks/create', { Name: 'notes_default' });
    const create = (service: string, more: object = {}) =>
      harbour.create(`notes-${service}-1`, {
        Labels: { ...composeLabels('notes', service), ...more },
        HostConfig: network,
      });
    await create('web');
    await create('db');
    await create('run', { 'com.docker.compose.oneoff': 'True' });
    const { project_id, ...answer } = await adopt(['notes']);
    expect(answer).toMatchObject({ adopted: ['notes/db', 'notes/web'] });
    const ofGroup = [
      expect.stringMatching(/^notes\/db: the network notes_default stays as it is: notes-run-1 is on it too$/),
      'notes/notes-run-1 is not adopted: it is a one-off container (docker compose run)',
    ];
    expect(answer.warnings).toEqual(expect.arrayContaining(ofGroup));
    const { warnings } = await harbour.app.database.db
      .selectFrom('adoptions')
      .select('warnings')
      .where('projectId', '=', project_id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(warnings!)).toEqual(answer.warnings);
    expect(await refused(['notes'])).toMatchObject({ status: 409, error: expect.stringContaining('already adopted') });
  });

  it('warns about services of the group that are not chosen', async () => {
    await harbour.create('notes-web-1', { Labels: composeLabels('notes', 'web') });
    await harbour.create('notes-db-1', { Labels: composeLabels('notes', 'db') });
    expect((await adopt(['notes/web'])).warnings).toContain('notes/db is not adopted: it stays outside the project');
  });

  it('rejects unknown, ambiguous and taken names without leaving anything behind', async () => {
    await harbour.create('a-web-1', { Labels: composeLabels('a', 'web') });
    await harbour.create('b-web-1', { Labels: composeLabels('b', 'web') });
    await harbour.create('ours', { Labels: { 'mooring.instance': 'ins_other' } });
    await harbour.create('task', {
      Labels: { 'com.docker.swarm.task.id': 'x', 'com.docker.swarm.service.name': 'task' },
    });
    expect(await refused(['nothing'])).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^there is no service or group nothing on this server; there are a\/web, b\/web/),
      details: [{ field: 'serviceNames' }],
    });
    expect(await refused(['web'])).toMatchObject({
      status: 400,
      error: expect.stringMatching(/any of a\/web.*b\/web/),
    });
    expect(await refused(['ours'])).toMatchObject({ status: 409 });
    expect(await refused(['task'])).toMatchObject({ status: 400, error: expect.stringContaining('Swarm') });
    expect([await count('projects'), await count('adoptions'), await count('host_names')]).toEqual([0, 0, 0]);
    const { project_id } = await adopt(['a/web', 'b/web', 'a/web']);
    expect((await parsed(project_id)).services.map(({ name }) => name)).toEqual(['a-web', 'b-web']);
    const again = await refused(['a/web'], { projectName: 'another' });
    expect(again).toMatchObject({ status: 409, error: expect.stringContaining('has already adopted it') });
    expect(await harbour.service('a/web')).toMatchObject({ alreadyManaged: true, adoptable: false });
    await harbour.create('more');
    expect(await refused(['more'])).toMatchObject({ status: 409, error: 'there is a project shop already' });
    expect(await count('projects')).toBe(1);
  });

  it('uses only the names in the request', async () => {
    await harbour.create('one', { Env: ['MODE=real'] });
    const claims = {
      slug: 'www',
      services: { one: { image: 'evil', privileged: true } },
      document: '{}',
      source: { type: 'local', path: '/' },
      organizationId: 'org_other',
      trusted: undefined,
    };
    const { project_id, project } = await adopt(['one'], claims);
    expect(project).toMatchObject({ slug: 'shop', source: { type: 'services' }, trusted: false });
    expect((await parsed(project_id)).services).toMatchObject([
      { name: 'one', image: 'busybox:latest', environment: { MODE: 'real' }, isolation: { isPrivileged: false } },
    ]);
    for (const name of ['__proto__', 'constructor', '*', 'one/', '/one', 'ONE', 'one\0', '../one'])
      expect(await refused([name], { projectName: 'other' })).toMatchObject({ status: 400 });
  });

  it('lets only one of two concurrent requests adopt a container', async () => {
    await harbour.create('one');
    const both = await Promise.all(
      ['first', 'second'].map((projectName) => harbour.adopt({ projectName, serviceNames: ['one'] })),
    );
    expect(both.map(({ status }) => status).toSorted(inOrder)).toEqual([200, 409]);
    expect([await count('projects'), await count('adoptions'), await count('host_names')]).toEqual([1, 1, 1]);
  });

  it('keeps the server while a project has adopted containers on it', async () => {
    await harbour.create('one');
    const serverId = await harbour.addServer();
    const { project_id } = await adopt(['one'], { serverId });
    const remove = (path: string) => harbour.app.call('DELETE', path, { token: ownerToken });
    const kept = await remove(`/api/servers/${serverId}`);
    expect([kept.status, kept.body['code'], kept.body['error']]).toEqual([
      409,
      'server_in_use',
      expect.stringContaining('shop'),
    ]);
    expect((await remove(`/api/projects/${project_id}`)).status).toBe(200);
    expect(await count('adoptions')).toBe(0);
    expect((await remove(`/api/servers/${serverId}`)).status).toBe(200);
  });

  it('names the missing field', async () => {
    for (const [body, field] of [
      [{ serverId: undefined, projectName: 'x', serviceNames: ['x'] }, 'serverId'],
      [{ projectName: ' ', serviceNames: ['x'] }, 'projectName'],
      [{ serviceNames: ['x'] }, 'projectName'],
      [{ projectName: 'x', serviceNames: [] }, 'serviceNames'],
      [{ projectName: 'x' }, 'serviceNames'],
    ] as const) {
      const answer = await harbour.adopt(body);
      expect([answer.status, bodyOf(answer).error]).toEqual([400, expect.stringContaining(field)]);
    }
  });
});
