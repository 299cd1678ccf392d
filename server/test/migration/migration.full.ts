import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readDocument } from '../../src/compose/document.ts';
import { cuttable, fakeEngine, pong } from '../../src/areas/migration/fake-engine-rig.ts';
import { type Harbour, newStackFolder, person, startHarbour } from '../../src/areas/migration/migration-rig.ts';
import { databaseKinds } from '../rig/databases.ts';
import { has } from '../rig/parts.ts';
import { startSshd } from '../rig/sshd.ts';
import { until } from '../rig/until.ts';

const composeProgram = () =>
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/compose.mjs')], {
    encoding: 'utf8',
  }).trim();

describe.runIf(has('docker') && has('sshd')).each(databaseKinds)('migration on %s', (kind) => {
  let harbour: Harbour;
  beforeAll(async () => {
    harbour = await startHarbour(kind);
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
    const way = await cuttable(harbour.sshd.port);
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

  it('lists Swarm services, but does not adopt them', async () => {
    await harbour.post('/swarm/init', { ListenAddr: '127.0.0.1:0', AdvertiseAddr: '127.0.0.1' });
    onTestFinished(() => harbour.post<void>('/swarm/leave?force=true'));
    const TaskTemplate = { ContainerSpec: { Image: 'busybox', Command: ['sleep', '600'] }, Networks: [] };
    await harbour.post('/services/create', { Name: 'st_web', TaskTemplate, EndpointSpec: { Mode: 'dnsrr' } });
    const found = async () => (await harbour.stack()).services.find(({ service }) => service === 'st_web');
    await until('the swarm has started it', async () => (await found())?.state === 'running', 30_000);
    expect(await found()).toMatchObject({
      managedBy: 'swarm',
      adoptable: false,
      warnings: [expect.stringContaining('Swarm')],
    });
    expect((await harbour.stack()).engine.swarm).toBe(true);
    const { status, text } = await harbour.adopt({ projectName: 'x', serviceNames: ['st_web'] });
    expect([status, text]).toEqual([400, expect.stringContaining('task of a Swarm')]);
  });

  it.each([
    ['of what it has', /^\/v/, 200],
    ['of what it is', /_ping/, 200],
    ['of what is wrong', /_ping/, 500],
  ])('stops reading when an engine sends %s', async (_, endless, code) => {
    const socket = await fakeEngine((request, response) => {
      if (!endless.test(request.url!)) return pong(request, response);
      response.writeHead(code, { 'api-version': '1.41' });
      const more = () => {
        while (response.write(' '.repeat(1024 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    const sshd = await startSshd({ people: [person], engineSocket: socket });
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
