import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../test/rig/parts.ts';
import { until } from '../../../test/rig/until.ts';
import { ownerLabels } from '../../drivers/runtime/docker/labels.ts';
import { composeLabels, type ScanRig, newStackFolder, startScanRig, listTree } from './migration-rig.ts';

describe.runIf(has('docker') && has('sshd'))('scan of a server', () => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig();
  });
  afterEach(() => harbour.empty());
  afterAll(() => harbour?.close());

  it('reports an empty engine', async () => {
    const { engine, ...stack } = await harbour.stack();
    const info = await harbour.get<Record<string, string>>('/info');
    expect(engine).toMatchObject({
      version: info['ServerVersion'],
      arch: info['Architecture'],
      cgroup: info['CgroupVersion'] ?? '1',
      swarm: false,
      rootless: false,
    });
    expect(stack).toMatchObject({ groups: [], services: [], volumes: [], warnings: [], adoptable: 0 });
    expect(stack.networks.map(({ name }) => name)).toContain('bridge');
  });

  it('reports single containers', async () => {
    await harbour.post('/networks/create', { Name: 'shore' });
    const id = await harbour.create(
      'db',
      {
        Env: ['POSTGRES_PASSWORD=hunter2hunter2', 'MODE=plain', 'DATABASE_URL=postgres://me:pw12345678@db/x'],
        Cmd: ['sh', '-c', 'sleep 600; echo hunter2hunter2'],
        Labels: { 'org.example.owner': 'ada', 'traefik.http.routers.db.rule': 'Host(`db.example.com`)' },
        ExposedPorts: { '5432/tcp': {} },
        Healthcheck: { Test: ['CMD', 'true'], Interval: 5e9 },
        HostConfig: {
          NetworkMode: 'shore',
          Binds: ['data:/var/lib/data', '/etc/hostname:/host:ro'],
          PortBindings: { '5432/tcp': [{ HostIp: '127.0.0.1', HostPort: '15432' }] },
          RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 },
          Memory: 64 * 1024 * 1024,
          NanoCpus: 5e8,
        },
        NetworkingConfig: { EndpointsConfig: { shore: { Aliases: ['postgres'] } } },
      },
      true,
    );
    const stack = await harbour.stack();
    expect(stack.groups).toEqual([{ project: null, source: 'hand', composeFiles: [], services: ['db'] }]);
    const [service] = stack.services;
    expect(service).toMatchObject({
      name: 'db',
      group: null,
      containerId: id,
      containerName: 'db',
      image: 'busybox:latest',
      state: 'running',
      restartPolicy: 'on-failure:3',
      ports: [{ target: 5432, protocol: 'tcp', published: 15432, hostIp: '127.0.0.1' }],
      exposed: ['5432/tcp'],
      limits: { memory: 67_108_864, cpus: 0.5 },
      healthcheck: { test: ['CMD', 'true'], intervalSeconds: 5 },
      labels: { 'org.example.owner': 'ada' },
      routes: [{ host: 'db.example.com', path: null, port: null, proxy: 'traefik' }],
      managedBy: 'hand',
      adoptable: true,
      alreadyManaged: false,
      needsTrust: ['volumes: /etc/hostname is a path of the machine'],
    });
    expect(service!.mounts).toEqual(
      expect.arrayContaining([
        { type: 'volume', source: 'data', target: '/var/lib/data', readOnly: false },
        { type: 'bind', source: '/etc/hostname', target: '/host', readOnly: true },
      ]),
    );
    expect(service!.env).toEqual(
      expect.arrayContaining([
        { key: 'POSTGRES_PASSWORD', value: null, secret: true },
        { key: 'MODE', value: 'plain', secret: false },
        { key: 'DATABASE_URL', value: null, secret: true },
      ]),
    );
    expect(service!.networks[0]).toMatchObject({ name: 'shore', aliases: expect.arrayContaining(['postgres']) });
    expect(JSON.stringify(stack)).not.toMatch(/hunter2|pw12345678/);
    expect(stack.volumes).toEqual([
      { name: 'data', driver: 'local', usedBy: ['db'], anonymous: false, external: true },
    ]);
  });

  it('reports compose stacks and drift from their files', async () => {
    const folder = newStackFolder();
    const labels = (service: string, project = 'shop') =>
      composeLabels(project, service, {
        'project.config_files': join(folder, 'compose.yaml'),
        'project.working_dir': folder,
        depends_on: service === 'web' ? 'db:service_healthy:false' : '',
      });
    writeFileSync(join(folder, '.env'), 'TAG=latest\n');
    writeFileSync(
      join(folder, 'compose.yaml'),
      'services:\n  web:\n    image: busybox:${TAG}\n    depends_on: [db]\n    environment:\n      MODE: written\n' +
        '  db:\n    image: postgres:16\n  gone:\n    image: busybox\n',
    );
    await harbour.create('shop-web-1', { Labels: labels('web'), Env: ['MODE=written'] });
    await harbour.create('shop-db-1', { Labels: labels('db') });
    await harbour.create('shop-old-1', { Labels: labels('old') });
    const stack = await harbour.stack();
    expect(stack.groups).toEqual([
      {
        project: 'shop',
        source: 'compose',
        composeFiles: [{ path: join(folder, 'compose.yaml'), found: true, matches: false }],
        services: ['shop/db', 'shop/old', 'shop/web'],
      },
    ]);
    expect(stack.warnings).toEqual([
      'shop: gone is in the compose file but has no container',
      'shop: db runs busybox:latest, but the compose file says postgres:16',
      'shop: old has a container but is not in the compose file',
    ]);
    expect(stack.services.find(({ name }) => name === 'shop/web')).toMatchObject({
      dependsOn: ['db'],
      adoptable: true,
    });
  });

  it('recognizes other platforms, whose containers can be adopted', async () => {
    const of: Record<string, Record<string, string>> = {
      coolify: {
        'coolify.managed': 'true',
        'coolify.projectName': 'site',
        'coolify.name': 'site-web',
        'coolify.type': 'application',
      },
      dokploy: composeLabels('blog-x1', 'web', {
        'project.config_files': '/etc/dokploy/compose/blog-x1/code/docker-compose.yml',
        'project.working_dir': '/etc/dokploy/compose/blog-x1/code',
      }),
      caprover: { 'captain.appName': 'wiki' },
      portainer: composeLabels('media', 'tv', { 'project.config_files': '/data/compose/3/docker-compose.yml' }),
      dokku: { 'com.dokku.app-name': 'ruby', 'com.dokku.process-type': 'web', dokku: '' },
    };
    for (const [name, Labels] of Object.entries(of))
      await harbour.create(name, { Labels: { ...Labels, 'traefik.enable': 'true', own: '1' } });
    const { services, groups } = await harbour.stack();
    const known = services.map(({ containerName, managedBy, adoptable }) => [containerName, managedBy, adoptable]);
    expect(Object.fromEntries(known.map(([name, ...rest]) => [name, rest]))).toEqual(
      Object.fromEntries(Object.keys(of).map((name) => [name, [name, true]])),
    );
    for (const { labels } of services) expect(labels).toEqual({ own: '1' });
    expect(services.map(({ name }) => name)).toEqual([
      'blog-x1/web',
      'media/tv',
      'ruby/web',
      'site/site-web',
      'wiki/wiki',
    ]);
    expect(groups.map(({ source }) => source)).toEqual(['dokploy', 'portainer', 'dokku', 'coolify', 'caprover']);
  });

  it('reports containers of Mooring, which cannot be adopted', async () => {
    const release = (instanceId: string, service: string) => ({
      Labels: ownerLabels({
        instanceId,
        organizationId: 'org_1',
        projectId: `prj_${instanceId}`,
        deploymentId: 'dep_1',
        service,
        fence: 1,
      }),
    });
    for (const instance of ['this', 'other']) {
      await harbour.create(`mooring-${instance}-web-a`, release(instance, 'web'));
      const edge = { 'mooring.instance': instance, 'mooring.role': 'edge' };
      await harbour.create(`mooring-edge-${instance}`, { Labels: edge });
    }
    await harbour.create('by-hand', { Labels: { 'mooring.service': 'web', 'mooring.project': 'prj_this' } });
    await harbour.create('shop-web-1', { Labels: composeLabels('shop', 'web') });
    const { groups, services, alreadyManaged, adoptable } = await harbour.stack();
    const ours = ['prj_other/web', 'prj_this/web', 'mooring-edge-other', 'mooring-edge-this'];
    expect(alreadyManaged.toSorted()).toEqual(ours.toSorted());
    expect(adoptable).toBe(2);
    for (const each of services)
      expect([each.name, each.adoptable, each.managedBy === 'mooring']).toEqual([
        each.name,
        !ours.includes(each.name),
        ours.includes(each.name),
      ]);
    expect(groups).toEqual([
      { project: 'prj_other', source: 'mooring', composeFiles: [], services: ['prj_other/web'] },
      { project: 'prj_this', source: 'mooring', composeFiles: [], services: ['prj_this/web'] },
      { project: 'shop', source: 'compose', composeFiles: [], services: ['shop/web'] },
      { project: null, source: 'hand', composeFiles: [], services: ['by-hand'] },
      { project: null, source: 'mooring', composeFiles: [], services: ['mooring-edge-other', 'mooring-edge-this'] },
    ]);
    for (const name of ours) expect((await harbour.adopt({ projectName: 'x', serviceNames: [name] })).status).toBe(409);
    // Mooring's own service has the same name and is skipped.
    const adopted = await harbour.adopt({ projectName: 'shop', serviceNames: ['web'] });
    expect(adopted.body).toMatchObject({ success: true, adopted: ['shop/web'] });
  });

  it('does not follow links out of the folder, and warns about unreadable files', async () => {
    const folder = newStackFolder();
    const elsewhere = newStackFolder();
    const file = (name: string, content: string) => writeFileSync(join(folder, name), content);
    writeFileSync(join(elsewhere, 'compose.yml'), 'services:\n  web:\n    image: busybox:latest\n');
    symlinkSync(join(elsewhere, 'compose.yml'), join(folder, 'link.yml'));
    file('huge.yml', `services:\n  web:\n    image: x # ${'y'.repeat(1_100_000)}\n`);
    file('broken.yml', 'services: [\n');
    mkdirSync(join(folder, 'folder.yml'));
    const places = ['link', 'huge', 'broken', 'folder', 'absent'];
    for (const name of places) {
      const paths = { 'project.config_files': join(folder, `${name}.yml`), 'project.working_dir': folder };
      await harbour.create(name, { Labels: composeLabels(name, 'web', paths) });
    }
    const { groups, adoptable } = await harbour.stack();
    expect(adoptable).toBe(5);
    const files = Object.fromEntries(groups.map(({ project, composeFiles }) => [project, composeFiles[0]]));
    expect(files).toMatchObject({
      link: { found: true, matches: false, problem: expect.stringContaining('leaves the project folder') },
      huge: { found: true, matches: false, problem: expect.stringContaining('1 MB') },
      broken: { found: true, matches: false, problem: expect.stringContaining('broken.yml') },
      folder: { found: true, matches: false, problem: 'is not a file' },
      absent: { found: false, matches: false },
    });
  });

  it('changes nothing on the machine, and neither does adopting', async () => {
    const folder = newStackFolder();
    writeFileSync(join(folder, 'compose.yaml'), 'services:\n  web:\n    image: busybox\n');
    const paths = { 'project.config_files': join(folder, 'compose.yaml'), 'project.working_dir': folder };
    await harbour.create('shop-web-1', { Labels: composeLabels('shop', 'web', paths), Volumes: { '/data': {} } });
    await harbour.create('runs', { Cmd: ['sleep', '600'] }, true);
    // Lets the engine write its pending metadata first.
    await harbour.stack();
    const root = (await harbour.get<{ DockerRootDir: string }>('/info')).DockerRootDir;
    const look = () => [
      listTree(folder),
      ...['containers', 'volumes', 'image', 'network'].map((name) => listTree(join(root, name))),
    ];
    const since = Date.now() / 1000;
    const before = look();
    await harbour.stack();
    const adopted = await harbour.adopt({ projectName: 'shop', serviceNames: ['shop/web', 'runs'] });
    expect(adopted.status).toBe(200);
    expect(look()).toEqual(before);
    const query = { since: since.toFixed(3), until: (Date.now() / 1000).toFixed(3) };
    const events = await harbour.docker.client.open({ method: 'GET', path: '/events', query });
    expect((await events.toArray()).join('')).toBe('');
  });

  it('warns about files that a container wrote outside its volumes', async () => {
    const write = 'mkdir /uploads && echo x > /uploads/a.png && echo x > /uploads/b.png && echo x > /tmp/noise';
    const Cmd = ['sh', '-c', `${write} && echo x > /data/kept && sleep 600`];
    const id = await harbour.create('writer', { Cmd, HostConfig: { Binds: ['writer-data:/data'] } }, true);
    const changed = () => harbour.get<{ Path: string }[]>(`/containers/${id}/changes`);
    await until('it has written', async () => (await changed()).some(({ Path }) => Path === '/tmp/noise'));
    const warning =
      'writer wrote 2 files under /uploads, outside its volumes. Such files stay in the original container, and the new one starts without them: copy them with docker cp before you confirm the cut-over, and add a volume';
    expect((await harbour.service('writer')).warnings).toContain(warning);
    const adopted = await harbour.adopt({ projectName: 'writer', serviceNames: ['writer'] });
    expect(adopted.body).toMatchObject({ warnings: expect.arrayContaining([`writer: ${warning}`]) as string[] });
    // A plan shows it from there.
    const stored = await harbour.app.database.db.selectFrom('adoptions').select('warnings').executeTakeFirstOrThrow();
    expect(stored.warnings).toContain('2 files under /uploads');
  });

  it('survives hostile names and labels', async () => {
    const escape = '\u001b[2J\u0007\u202e\u2028\u0000x'.replaceAll('\u0000', '');
    await harbour.create('long', {
      Labels: { ...composeLabels('x'.repeat(1_000_000), 'y'.repeat(1_000_000)), z: 'w'.repeat(1_000_000) },
    });
    await harbour.create('odd', {
      Labels: { ...composeLabels(`p${escape}`, `../../${escape}`), [`k${escape}`]: escape },
    });
    const file = (path: string) =>
      composeLabels(`f${path.length}`, 'a', { 'project.config_files': path, 'project.working_dir': '/' });
    for (const [i, path] of [
      '/etc/shadow',
      '/proc/self/environ',
      '../../etc/passwd',
      '/dev/zero.yml',
      '/etc/ssl,/x.yml',
    ].entries())
      await harbour.create(`file-${i}`, { Labels: file(path) });
    const env = Array.from({ length: 1000 }, (_, i) => `V${i}=${'v'.repeat(100)}`);
    await harbour.create('many', { Env: env, Labels: Object.fromEntries(env.map((each) => [each, each])) });
    const { status, text } = await harbour.scan();
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(300_000);
    expect(text).not.toMatch(/\\u001b|\\u0007|root:/);
    const stack = await harbour.stack();
    expect(stack.groups.flatMap(({ composeFiles }) => composeFiles.map(({ path, found }) => [path, found]))).toEqual(
      expect.not.arrayContaining([['/etc/shadow', true]]),
    );
    const odd = stack.services.find(({ containerName }) => containerName === 'odd')!;
    const answer = await harbour.adopt({ projectName: 'odd', serviceNames: [odd.name, 'many'] });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  });
});
