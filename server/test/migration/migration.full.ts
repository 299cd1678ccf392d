import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readDocument } from '../../src/compose/document.ts';
import { startCuttableProxy, fakeEngine, pingResponse } from '../../src/areas/migration/fake-engine-rig.ts';
import { type ScanRig, newStackFolder, sshUser, startScanRig } from '../../src/areas/migration/migration-rig.ts';
import { databaseKinds } from '../rig/databases.ts';
import { has } from '../rig/parts.ts';
import { startSshd } from '../rig/sshd.ts';
import { initSwarm } from '../rig/swarm.ts';
import { until } from '../rig/until.ts';

/** Of a registry that does not answer, like an image that only this machine has. */
const local = '127.0.0.1:1/web:1';

const composeProgram = () =>
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/compose.mjs')], {
    encoding: 'utf8',
  }).trim();

describe.runIf(has('docker') && has('sshd')).each(databaseKinds)('migration on %s', (kind) => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig(kind);
  });
  afterEach(() => harbour.empty());
  afterAll(() => harbour?.close());

  it.runIf(has('compose'))('finds and adopts a real Docker Compose stack', async () => {
    const folder = newStackFolder();
    writeFileSync(join(folder, '.env'), 'LEVEL=debug\nPASSWORD=a$$b c\n');
    writeFileSync(
      join(folder, 'compose.yaml'),
      `services:
  web:
    image: busybox
    command: ["sh", "-c", "sleep 600"]
    depends_on: {db: {condition: service_healthy}}
    environment: {LEVEL: "\${LEVEL}", DB_PASSWORD: "\${PASSWORD}"}
    ports: ["127.0.0.1:18090:80"]
    networks: {default: {aliases: [www]}, outer: }
  db:
    image: busybox
    command: sleep 600
    volumes: [data:/data]
    healthcheck: {test: [CMD, "true"], interval: 1s}
  job:
    image: busybox
    command: sleep 600
    scale: 2
volumes: {data: }
networks: {outer: {internal: true}}
`,
    );
    writeFileSync(join(folder, 'compose.override.yaml'), 'services: {web: {labels: {team: blue}, mem_limit: 64m}}\n');
    const up = (...args: string[]) =>
      execFileSync(composeProgram(), ['-p', 'shop', ...args], {
        cwd: folder,
        env: { PATH: process.env['PATH']!, HOME: folder, DOCKER_HOST: harbour.docker.address },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    up('up', '-d', '--wait');
    onTestFinished(() => void up('down', '-v', '-t', '0'));
    const stack = await harbour.stack();
    expect(stack.warnings).toEqual([]);
    expect(stack.groups).toEqual([
      {
        project: 'shop',
        source: 'compose',
        composeFiles: ['compose.yaml', 'compose.override.yaml'].map((name) => ({
          path: join(folder, name),
          found: true,
          matches: true,
        })),
        services: ['shop/db', 'shop/job', 'shop/web'],
      },
    ]);
    expect(stack.adoptable).toBe(3);
    expect(stack.services.find(({ service }) => service === 'job')!.replicas).toBe(2);
    const answer = await harbour.adopt({ projectName: 'shop', serviceNames: ['web', 'db', 'job'] });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    const { id, services: sealed } = await harbour.app.database.db
      .selectFrom('projects')
      .select(['id', 'services'])
      .executeTakeFirstOrThrow();
    const place = { table: 'projects', column: 'services', row: id };
    const project = await readDocument('shop', harbour.app.instance.sealer.open(sealed!, place));
    const service = (name: string) => project.services.find((each) => each.name === name)!;
    expect(service('web')).toMatchObject({
      command: ['sh', '-c', 'sleep 600'],
      environment: { LEVEL: 'debug', DB_PASSWORD: 'a$b c' },
      labels: { team: 'blue' },
      limits: { memoryBytes: 64 * 1024 * 1024 },
      dependsOn: [{ service: 'db', condition: 'service_healthy' }],
      ports: [{ target: 80, published: { from: 18090, to: 18090 }, hostIp: '127.0.0.1' }],
    });
    expect(service('web').networks.find(({ name }) => name === 'default')!.aliases).toContain('www');
    expect(service('db')).toMatchObject({
      mounts: [{ type: 'volume', volume: 'shop_data', target: '/data' }],
      healthcheck: { test: ['CMD', 'true'], intervalMs: 1000 },
    });
    expect(service('job').replicas).toBe(2);
    expect(project.volumes).toMatchObject([{ externalName: 'shop_data' }]);
    expect(Object.fromEntries(project.networks.map(({ name, isInternal }) => [name, isInternal]))).toEqual({
      default: false,
      outer: true,
    });
  });

  it('scans two hundred containers over one connection', async () => {
    for (let i = 0; i < 200; i++) await harbour.create(`container-${i}`);
    const way = await startCuttableProxy(harbour.sshd.port);
    const serverId = await harbour.addServer({ port: way.port });
    const began = performance.now();
    const { services, adoptable } = await harbour.stack(serverId);
    expect([services.length, adoptable]).toEqual([200, 200]);
    await harbour.stack(serverId);
    // The benchmark measures the time; this only rules out a delay per container.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(way.connections()).toBe(1);
    const names = services.map(({ name }) => name);
    const answer = await harbour.adopt({ serverId, projectName: 'all', serviceNames: names });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  });

  it('finds a Swarm service once, with its settings, secrets and configs', async () => {
    await initSwarm(harbour.docker);
    onTestFinished(() => harbour.post<void>('/swarm/leave?force=true'));
    const data = (text: string) => Buffer.from(text).toString('base64');
    const File = (Name: string) => ({ Name, UID: '7', GID: '8', Mode: 0o440 });
    const { ID: SecretID } = await harbour.post<{ ID: string }>('/secrets/create', { Name: 'pass', Data: data('s$e') });
    const { ID: ConfigID } = await harbour.post<{ ID: string }>('/configs/create', {
      Name: 'conf',
      Data: data('a=${b}'),
    });
    await harbour.post('/networks/create', { Name: 'inner', Driver: 'overlay' });
    await harbour.post(`/images/busybox/tag?repo=127.0.0.1:1/web&tag=1`);
    const service = {
      Name: 'st_web',
      Labels: { 'com.docker.stack.namespace': 'st', team: 'blue' },
      TaskTemplate: {
        ContainerSpec: {
          Image: local,
          Command: ['sleep'],
          Args: ['600'],
          Env: ['LEVEL=debug'],
          StopGracePeriod: 4e9,
          Mounts: [{ Type: 'volume', Source: 'st_data', Target: '/data' }],
          Secrets: [{ SecretID, SecretName: 'pass', File: File('pass') }],
          Configs: [{ ConfigID, ConfigName: 'conf', File: File('/etc/web.conf') }],
        },
        Networks: [{ Target: 'inner', Aliases: ['web'] }],
        RestartPolicy: { Condition: 'on-failure', MaxAttempts: 3 },
      },
      Mode: { Replicated: { Replicas: 2 } },
      EndpointSpec: { Mode: 'dnsrr', Ports: [{ TargetPort: 80, Protocol: 'tcp', PublishMode: 'host' }] },
    };
    await harbour.post('/services/create', service);
    const global = { ...service, Name: 'everywhere', Mode: { Global: {} }, Labels: {} };
    await harbour.post('/services/create', global);
    type Task = { Status: { State: string } };
    await until(
      'the Swarm runs them',
      async () => (await harbour.get<Task[]>('/tasks')).filter(({ Status }) => Status.State === 'running').length === 3,
      30_000,
    );
    const stack = await harbour.stack();
    expect(stack.services.map(({ name, adoptable }) => [name, adoptable])).toEqual([
      ['st/web', true],
      ['everywhere', false],
    ]);
    expect(stack.services[0]).toMatchObject({
      managedBy: 'swarm',
      replicas: 2,
      restartPolicy: 'on-failure:3',
      mounts: [{ type: 'volume', source: 'st_data', target: '/data' }],
      networks: [{ name: 'inner', aliases: ['web'] }],
      labels: { team: 'blue' },
    });
    // The test's SSH server sees mounts from before its start only.
    await harbour.sshd.switchOff();
    await harbour.sshd.switchOn();
    const answer = await harbour.adopt({ projectName: 'st', serviceNames: ['st'] });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const { id, services: sealed } = await harbour.app.database.db
      .selectFrom('projects')
      .select(['id', 'services'])
      .executeTakeFirstOrThrow();
    const place = { table: 'projects', column: 'services', row: id };
    const project = await readDocument('st', harbour.app.instance.sealer.open(sealed!, place));
    expect(project.services).toMatchObject([
      {
        image: local,
        pullPolicy: 'never',
        entrypoint: ['sleep'],
        command: ['600'],
        environment: { LEVEL: 'debug' },
        replicas: 2,
        mounts: [{ type: 'volume', volume: 'st_data', target: '/data' }],
        networks: [{ name: 'inner', aliases: ['st_web'] }],
        restart: { policy: 'on-failure', maxAttempts: 3 },
        stopGraceMs: 4000,
        configs: [
          { source: 'secret-pass', target: '/run/secrets/pass', uid: '7', gid: '8', mode: 0o440 },
          { source: 'conf', target: '/etc/web.conf', uid: '7', gid: '8', mode: 0o440 },
        ],
      },
    ]);
    expect(project.configs.map(({ content }) => content)).toEqual(['s$e', 'a=${b}']);
    expect(project.volumes).toMatchObject([{ externalName: 'st_data' }]);
    const { status, text } = await harbour.adopt({ projectName: 'x', serviceNames: ['everywhere'] });
    expect([status, text]).toEqual([400, expect.stringContaining('without a number of replicas')]);
  });

  it.each([
    ['of what it has', /^\/v/, 200],
    ['of what it is', /_ping/, 200],
    ['of what is wrong', /_ping/, 500],
  ])('stops reading when an engine sends %s', async (_, endless, code) => {
    const socket = await fakeEngine((request, response) => {
      if (!endless.test(request.url!)) return pingResponse(request, response);
      response.writeHead(code, { 'api-version': '1.41' });
      const more = () => {
        while (response.write(' '.repeat(1024 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    const sshd = await startSshd({ people: [sshUser], engineSocket: socket });
    onTestFinished(() => sshd.stop());
    const serverId = await harbour.addServer({ port: sshd.port, user: 'root' });
    const row = await harbour.app.database.db
      .selectFrom('servers')
      .select('publicKey')
      .where('id', '=', serverId)
      .executeTakeFirstOrThrow();
    sshd.allow(row.publicKey!);
    const { status, body } = await harbour.scan(serverId);
    expect([status, body['message']]).toEqual([
      502,
      expect.stringMatching(/the response of the engine is too large|its response exceeds (32|64) MB/),
    ]);
  });
});
