import { describe, expect, it } from 'vitest';
import { projectOf, serviceFile } from '../../../../compose/compose-rig.ts';
import { serviceEscapeExamples } from '../../../../compose/escapes/escapes-rig.ts';
import { type ComposeProject, readServiceEntries } from '../../../../compose/index.ts';
import { StepError } from '../../model/model.ts';
import type { ServiceImage } from '../../model/stack.ts';
import { serviceRelease, type ServiceStart } from './service-spec.ts';

const image: ServiceImage = {
  image: 'x:1',
  imageId: 'sha256:1',
  isOwn: false,
  bytes: 1,
  ports: [],
  volumes: [],
  hasHealthcheck: false,
  port: null,
};
const owner = { instanceId: 'i', organizationId: 'o', projectId: 'p', deploymentId: 'd', service: '', fence: 1 };

type Given = Partial<ServiceStart> & { secrets?: string[]; contents?: Record<string, string | null> };
function release(project: ComposeProject, { secrets = [], contents = {}, ...given }: Given = {}) {
  return serviceRelease({
    stack: { project, digests: {}, contents, secrets },
    service: project.services[0]!.name,
    image,
    owner,
    stackKey: 'p/production',
    networkOwners: {},
    mountPath: (path, digest, isWritable) => `/kept/${isWritable ? 'rw' : 'ro'}/${digest ?? 'new'}/${path}`,
    isNamedAtOnce: true,
    endpointPort: null,
    ceiling: { memoryBytes: null, cpus: null },
    trusted: false,
    mode: 'self-hosted',
    ...given,
  });
}
const of = async (lines: string, given?: Given) => release(await projectOf(serviceFile(lines)), given);
const optionsOf = async (lines: string, given?: Given) => (await of(lines, given)).service;

describe('service spec', () => {
  it('prevents escaping cloud limits by real-time priority or frequent health checks', async () => {
    const lines = 'ulimits: {rtprio: 99, rttime: -1, nofile: 9}\nhealthcheck: {test: "true", interval: 1ms}';
    const container = { memoryBytes: { usual: 1, most: 1 }, cpus: { usual: 1, most: 1 } };
    const ceiling = { memoryBytes: null, cpus: null, bounds: container };
    const cloud = await of(lines, { mode: 'cloud', ceiling });
    expect([Object.keys(cloud.service.ulimits), cloud.leastHealthIntervalMs]).toEqual([['nofile'], 1000]);
    const own = await of(lines);
    expect([Object.keys(own.service.ulimits), own.leastHealthIntervalMs]).toEqual([
      ['rtprio', 'rttime', 'nofile'],
      undefined,
    ]);
  });

  it("uses the image's defaults where the file is silent", async () => {
    const { service, ...rest } = await of('tty: false');
    expect(rest).toEqual({
      kind: 'image',
      owner: { ...owner, service: 'a' },
      image: 'x:1',
      imageId: 'sha256:1',
      env: {},
      secretKeys: [],
      listensOn: null,
      confinement: { writableRoot: true, capabilities: expect.arrayContaining(['CHOWN', 'NET_RAW', 'SETUID']) as [] },
    });
    expect(service).toMatchObject({ stack: 'p/production', isNamedAtOnce: true, ports: [], mounts: [], beyond: null });
  });

  it('has the variables that are set, and marks the secret ones', async () => {
    const lines = 'environment: {A: plain, URL: "pg://u:hunter22@db", P: hunter22, SHORT: "a1b", NAME: "x1", UNSET: }';
    const { env, secretKeys } = await of(lines, { secrets: ['hunter22', '1', 'a1b'] });
    expect(env).toEqual({ A: 'plain', URL: 'pg://u:hunter22@db', P: 'hunter22', SHORT: 'a1b', NAME: 'x1' });
    expect(secretKeys).toEqual(['URL', 'P', 'SHORT']);
  });

  it('sets the port of an app that Mooring builds', () => {
    const project = readServiceEntries('shop', [{ name: 'web', environment: { PORT: '1', HOST: '::' } }]);
    const { env, listensOn } = release(project, { image: { ...image, port: 8080 } });
    expect([env, listensOn]).toEqual([{ NODE_ENV: 'production', HOST: '::', PORT: '8080' }, 8080]);
  });

  it('overrides command and entrypoint', async () => {
    expect(await of('command: a "b c"\nentrypoint: ["/x"]')).toMatchObject({
      command: ['a', 'b c'],
      entrypoint: ['/x'],
    });
    expect(await of('command: []\nentrypoint: []')).toMatchObject({ command: [], entrypoint: [] });
  });

  it.each([
    [
      '{test: ["CMD", "a", "b"], interval: 5s, timeout: 2s, retries: 4, start_period: 1m}',
      ['a', 'b'],
      5000,
      2000,
      4,
      60_000,
    ],
    ['{test: a && b}', ['/bin/sh', '-c', 'a && b'], 0, 0, 0, 0],
    ['{test: ["CMD-SHELL", "exit 1"]}', ['/bin/sh', '-c', 'exit 1'], 0, 0, 0, 0],
    ['{interval: 5s}', [], 5000, 0, 0, 0],
  ])('is checked by %s', async (check, command, intervalMs, timeoutMs, retries, startPeriodMs) => {
    const { healthcheck } = await of(`healthcheck: ${check}`);
    expect(healthcheck).toEqual({ command, intervalMs, timeoutMs, retries, startPeriodMs });
  });

  it.each(['{disable: true}', '{test: ["NONE"]}'])('has no health check with %s', async (check) => {
    expect((await of(`healthcheck: ${check}`)).healthcheck).toBeNull();
  });

  it.each([
    ['restart: "no"', { policy: 'no', maxAttempts: null }],
    ['restart: on-failure:3', { policy: 'on-failure', maxAttempts: 3 }],
    ['tty: true', { policy: 'always', maxAttempts: null }],
  ])('restarts with %s as %j', async (lines, expected) => {
    expect((await optionsOf(lines)).restart).toEqual(expected);
  });

  it('does not restart if other services wait for it to complete', async () => {
    const project = await projectOf(
      'services:\n  a: {image: x}\n  b: {image: x, depends_on: {a: {condition: service_completed_successfully}}}\n',
    );
    expect(release(project).service.restart).toEqual({ policy: 'no', maxAttempts: null });
    expect(release(project, { service: 'b' }).service.restart.policy).toBe('always');
  });

  it('publishes fixed ports, and none in cloud mode', async () => {
    const lines = 'ports: ["80", "0:81", "8080:82", "127.0.0.1:53:53/udp", "9000-9002:83"]';
    expect((await optionsOf(lines)).ports).toEqual([
      { target: 82, protocol: 'tcp', hostIp: null, published: { from: 8080, to: 8080 } },
      { target: 53, protocol: 'udp', hostIp: '127.0.0.1', published: { from: 53, to: 53 } },
      { target: 83, protocol: 'tcp', hostIp: null, published: { from: 9000, to: 9002 } },
    ]);
    expect((await optionsOf(lines, { mode: 'cloud' })).ports).toEqual([]);
  });
});

describe('networks of a service', () => {
  it('have every name that resolves on them', async () => {
    const project = await projectOf(`services:
  web: {image: x, networks: {front: {aliases: [www]}, back: }, links: ["db:database", "other:hidden"]}
  db: {image: x, container_name: my-db, networks: [back]}
  other: {image: x}
networks: {front: {internal: true}, back: {driver: bridge, labels: {a: b}}}
`);
    const web = release(project).service.networks;
    expect(web).toMatchObject([
      { name: 'front', isInternal: true, externalName: null },
      { name: 'back', isInternal: false, driver: 'bridge', labels: { a: 'b' } },
    ]);
    const names = (at: number) => web[at]!.names.map(({ name, service }) => `${name}>${service}`);
    expect(names(0)).toEqual(['web>web', 'www>web']);
    expect(names(1)).toEqual(['web>web', 'database>db', 'db>db', 'my-db>db']);
    expect(release(project, { service: 'db' }).service.networks[0]!.names).toEqual(web[1]!.names);
  });

  it('can be those of another service', async () => {
    const project = await projectOf('services:\n  a: {image: x, network_mode: "service:b"}\n  b: {image: x}\n');
    const { networkMode, networks } = release(project, { networkOwners: { b: 'dep_1' } }).service;
    expect([networkMode, networks]).toEqual([{ kind: 'service', deploymentId: 'dep_1', service: 'b' }, []]);
    expect(() => release(project)).toThrow('a shares the network of b, which does not run');
    expect((await optionsOf('network_mode: none')).networkMode).toEqual({ kind: 'none' });
  });

  it('can be those of the machine in a trusted project', async () => {
    expect((await optionsOf('network_mode: host', { trusted: true })).networkMode).toEqual({ kind: 'host' });
    const { networks, networkMode } = await optionsOf('network_mode: proxy', { trusted: true });
    expect([networkMode, networks[0]?.externalName]).toEqual([null, 'proxy']);
  });
});

describe('mounts of a service', () => {
  it('are volumes, stored files, tmpfs, configs and secrets', async () => {
    const project = await projectOf({
      'compose.yaml': `services:
  a:
    image: x
    volumes:
      - data:/data
      - /anonymous
      - ./conf:/conf:ro
      - ./new:/new
      - {type: tmpfs, target: /t, tmpfs: {size: 1m, mode: 0o700}}
      - {type: volume, source: data, target: /sub, read_only: true, volume: {subpath: s, nocopy: true}}
    tmpfs: ["/run:size=64k,mode=1777,ro", /tmp/]
    configs: [text, {source: file, target: /etc/x}, {source: file, target: /mine, mode: 0o400}]
    secrets: [key]
volumes: {data: {labels: {a: b}}}
configs: {text: {content: hello}, file: {file: ./conf/x}}
secrets: {key: {file: ./key}}
`,
      'conf/x': '1',
      key: '1',
    });
    const contents = {
      conf: 'd1',
      new: null,
      'conf/x': 'd2',
      key: 'd3',
      '//configs/text': 'd4',
      '//configs/file/::256': 'd5',
    };
    const { mounts } = release(project, { contents }).service;
    const data = { name: 'data', externalName: null, driver: null, driverOptions: {}, labels: { a: 'b' } };
    const unnamed = { name: null, externalName: null, driver: null, driverOptions: {}, labels: {} };
    const volume = { type: 'volume', isReadOnly: false, subpath: null, isCopied: true };
    const bind = { type: 'bind', propagation: null, isReadOnly: true };
    expect(mounts).toEqual([
      { ...volume, target: '/data', volume: data },
      { ...volume, target: '/anonymous', volume: unnamed },
      { ...bind, target: '/conf', path: '/kept/ro/d1/conf' },
      { ...bind, target: '/new', path: '/kept/rw/new/new', isReadOnly: false },
      { type: 'tmpfs', target: '/t', isReadOnly: false, sizeBytes: 1_048_576, mode: 0o700 },
      { ...volume, target: '/sub', isReadOnly: true, volume: data, subpath: 's', isCopied: false },
      { type: 'tmpfs', target: '/run', isReadOnly: true, sizeBytes: 65_536, mode: 0o1777 },
      { type: 'tmpfs', target: '/tmp', isReadOnly: false, sizeBytes: null, mode: null },
      { ...bind, target: '/text', path: '/kept/ro/d4///configs/text' },
      { ...bind, target: '/etc/x', path: '/kept/ro/d2/conf/x' },
      { ...bind, target: '/mine', path: '/kept/ro/d5///configs/file/::256' },
      { ...bind, target: '/run/secrets/key', path: '/kept/ro/d3/key' },
    ]);
  });

  it('use the old content for a service that keeps its old version', async () => {
    const project = await projectOf(serviceFile('volumes: ["./conf:/conf:ro"]'));
    const stack = {
      project,
      digests: {},
      secrets: [],
      contents: { conf: 'new' },
      olderContents: { a: { conf: 'old' } },
    };
    expect(release(project, { stack }).service.mounts[0]).toMatchObject({ path: '/kept/ro/old/conf' });
  });

  it('include those from volumes_from', async () => {
    const project = await projectOf(`services:
  a: {image: x, volumes: ["own:/own"], volumes_from: ["b:ro"]}
  b: {image: x, volumes: ["other:/own", "data:/data", /nameless], volumes_from: [c]}
  c: {image: x, volumes: ["./c:/c"], tmpfs: [/t]}
volumes: {own: , other: , data: }
`);
    const shown = (service: string) =>
      release(project, { service }).service.mounts.map((mount) => {
        const what = mount.type === 'volume' ? mount.volume.name : mount.type === 'bind' ? mount.path : 'memory';
        return `${mount.target} ${what}${mount.isReadOnly ? ' ro' : ''}`;
      });
    expect(shown('a')).toEqual(['/own own', '/data data ro', '/nameless from.b-nameless ro', '/c /kept/rw/new/c ro']);
    expect(shown('b')).toContain('/nameless from.b-nameless');
  });
});

describe('confinement of a service', () => {
  const capabilities = async (lines: string, given?: Given) => (await of(lines, given)).confinement!.capabilities!;

  it('has the default capabilities minus those that the file drops', async () => {
    expect(await capabilities('tty: true')).toHaveLength(14);
    expect(await capabilities('cap_drop: [net_raw, CAP_MKNOD]')).toHaveLength(12);
    expect(await capabilities('cap_drop: [ALL]\ncap_add: [CHOWN]')).toEqual(['CHOWN']);
    expect(await capabilities('tty: true', { mode: 'cloud' })).toEqual(
      'CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETGID SETUID'.split(' '),
    );
    expect(await capabilities('cap_add: [NET_RAW]', { mode: 'cloud' })).not.toContain('NET_RAW');
    expect((await of('read_only: true')).confinement!.writableRoot).toBe(false);
  });

  it('has limits, in cloud mode capped by the project', async () => {
    const ceiling = { memoryBytes: 1000, cpus: 1 };
    const lines = 'mem_limit: 5000b\ncpus: 4\nmem_reservation: 4000b\nmemswap_limit: -1\npids_limit: 100000';
    const own = await of(lines, { ceiling });
    expect([own.memoryBytes, own.cpus, own.service.memorySwapBytes]).toEqual([5000, 4, -1]);
    const cloud = await of(lines, { ceiling, mode: 'cloud' });
    expect([cloud.memoryBytes, cloud.cpus]).toEqual([1000, 1]);
    expect(cloud.service).toMatchObject({ memoryReservationBytes: 1000, memorySwapBytes: null, pids: 2048 });
    const none = await of('tty: true', { ceiling });
    expect([none.memoryBytes, none.cpus]).toEqual([1000, 1]);
    expect(await of('tty: true')).not.toHaveProperty('memoryBytes');
  });

  it.each(serviceEscapeExamples)('rejects %s without trust, and always in cloud mode', async (lines) => {
    await expect(of(lines)).rejects.toThrow(StepError);
    await expect(of(lines, { trusted: true, mode: 'cloud' })).rejects.toThrow(StepError);
  });

  it('grants a trusted project the access it asks for', async () => {
    const lines = `privileged: true
cap_add: [SYS_ADMIN, CHOWN]
devices: [/dev/fuse]
pid: host
ipc: service:b
use_api_socket: true
volumes: ["/srv/x/:/x"]`;
    const project = await projectOf(`${serviceFile(lines)}  b: {image: x}\n`);
    const { beyond, mounts } = release(project, { trusted: true }).service;
    expect(beyond).toMatchObject({ isPrivileged: true, capAdd: ['SYS_ADMIN'], pid: 'host', ipc: null });
    expect(beyond!.devices).toEqual(['/dev/fuse:/dev/fuse:rwm']);
    expect(mounts.map((mount) => mount.type === 'bind' && `${mount.path}>${mount.target}`)).toEqual([
      '/srv/x/>/x',
      '/var/run/docker.sock>/var/run/docker.sock',
    ]);
    expect(release(project, { service: 'b', trusted: true }).service.beyond).toBeNull();
  });
});
