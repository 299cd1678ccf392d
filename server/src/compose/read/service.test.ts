import { describe, expect, it } from 'vitest';
import { mistakesOf, projectOf, serviceFile, serviceWith, warningsOf } from '../compose-rig.ts';

describe('invalid fields are all reported with their line', () => {
  it.each([
    ['privileged: maybe', '4: services.a.privileged: must be true or false'],
    ['mem_limit: lots', '4: services.a.mem_limit: must be a size like 512m, not lots'],
    ['stop_grace_period: 90', '4: services.a.stop_grace_period: must be a duration like 1m30s, not 90'],
    [
      'restart: sometimes',
      '4: services.a.restart: must be one of no, always, unless-stopped, on-failure, or on-failure:3',
    ],
    ['pids_limit: -2', '4: services.a.pids_limit: must be a whole number, -1 or more'],
    ['cpus: many', '4: services.a.cpus: must be a number, not many'],
    ['cpus: -1', '4: services.a.cpus: must be a number of processors'],
    ['environment: 5', '4: services.a.environment: must be a mapping, or a list of NAME=value'],
    ['environment:\n  A: [1]', '5: services.a.environment: A must be a string, not a list'],
    ['environment: ["=x"]', '4: services.a.environment:  is not the name of a variable'],
    ['volumes: ["a:b:c:d"]', '4: services.a.volumes: a:b:c:d: has too many parts; use source:target:options'],
    ['volumes: ["./a:b"]', '4: services.a.volumes: ./a:b: the target must be an absolute path in the container'],
    ['volumes: [":/b"]', '4: services.a.volumes: :/b: must be [source:]target[:options]'],
    ['volumes: ["a/b:/c"]', '4: services.a.volumes: a/b:/c: a/b is not the name of a volume'],
    ['environment: ["A = 1"]', '4: services.a.environment: A : there is a space between the name and the equals sign'],
    ['volumes: [{type: npipe, target: /x}]', '4: services.a.volumes.type: must be one of volume, bind, tmpfs'],
    ['volumes: [{type: bind, target: /x}]', '4: services.a.volumes.source: is required for a bind mount'],
    ['networks: [n]', '4: services.a.networks: there is no network n under networks'],
    ['networks: [default]\nnetwork_mode: none', '4: services.a.networks: cannot be combined with network_mode'],
    ['secrets: [s]', '4: services.a.secrets: there is no s under secrets'],
    ['configs:\n  - {target: /x}', '5: services.a.configs.source: is needed'],
    ['healthcheck: {test: [curl, x]}', '4: services.a.healthcheck.test: must begin with one of CMD, CMD-SHELL, NONE'],
    ['command: echo "a', '4: services.a.command: has unbalanced quotes or parentheses'],
    ['command: {a: b}', '4: services.a.command: must be a string or a list'],
    ['depends_on: [b]', '4: services.a depends on b, which does not exist'],
    [
      'depends_on:\n  a: {condition: ready}',
      '5: services.a.depends_on.a.condition: must be one of service_started, service_healthy, service_completed_successfully',
    ],
    ['pull_policy: now', '4: services.a.pull_policy: must be one of always, missing, if_not_present, never, build'],
    [
      'labels: {mooring.project: x}',
      '4: services.a.labels: mooring.project: these labels are reserved for Mooring and Docker Compose',
    ],
    ['extra_hosts: [x]', '4: services.a.extra_hosts: x: must be name=address'],
    [
      'build: {context: "https://example.com/x.tar.gz"}',
      '4: services.a.build.context: must be a folder of the source or a git repository: ' +
        'https://host/path.git, without a password',
    ],
    [
      'build: {dockerfile: D, dockerfile_inline: FROM x}',
      '4: services.a.build.dockerfile: cannot be combined with dockerfile_inline',
    ],
    ['scale: 2\ndeploy: {replicas: 3}', '4: services.a.scale: conflicts with deploy.replicas'],
    [
      'mem_limit: 1g\ndeploy: {resources: {limits: {memory: 2g}}}',
      '4: services.a.mem_limit: conflicts with deploy.resources',
    ],
    ['scale: 1000', '4: services.a: more than 100 replicas'],
    ['ulimits: {nofile: {soft: 1}}', '4: services.a.ulimits.nofile: needs soft and hard'],
    ['models: [m]', '4: services.a.models is refused: models are not supported'],
  ])('%j', async (lines, message) =>
    expect((await mistakesOf(serviceFile(lines))).map((line) => line.replace('compose.yaml:', ''))).toContain(message),
  );

  it('together', async () => {
    expect(await mistakesOf(serviceFile('cpus: x\nmem_limit: y\ninit: z'))).toHaveLength(3);
  });

  it.each([
    ['services:\n  a:', 'compose.yaml:2: services.a: is empty'],
    ['services:\n  a: []', 'compose.yaml:2: services.a: must be a mapping'],
    ['services:\n  a: {}', 'compose.yaml:2: services.a: has neither an image nor a build'],
    [
      'services:\n  "a/b": {image: x}',
      'compose.yaml:2: services: a/b is not a name: letters, digits, dots, dashes, underscores',
    ],
    [
      'services:\n  "-x": {image: x}',
      'compose.yaml:2: services: -x is not a name: letters, digits, dots, dashes, underscores',
    ],
    [
      'services:\n  __proto__: {image: x}',
      'compose.yaml:2: services: __proto__ is not a name: letters, digits, dots, dashes, underscores',
    ],
    ['services: {}', 'compose.yaml:1: services: there are none'],
    ['volumes:\n  a:', 'compose.yaml:1: services: there are none'],
    ['- a', 'compose.yaml:1: a compose file must be a mapping, not a list'],
    [
      'services: {a: {image: x, secrets: [s]}}\nsecrets:\n  s: {external: true}',
      'compose.yaml:3: secrets.s.external is refused: give it as a file of the source or by a variable',
    ],
    [
      'services: {a: {image: x, secrets: [s]}}\nsecrets:\n  s: {file: ./none}',
      'compose.yaml:3: secrets.s.file: none does not exist in the source',
    ],
    [
      'services: {a: {image: x, secrets: [s]}}\nsecrets:\n  s: {environment: NONE}',
      'compose.yaml:3: secrets.s.environment: the variable NONE is not set',
    ],
    [
      'services: {a: {image: x, configs: [c]}}\nconfigs:\n  c: {file: ./none, content: x}',
      'compose.yaml:3: configs.c.content: needs exactly one of file, environment, content',
    ],
  ])('%j', async (text, message) => expect(await mistakesOf(text)).toContain(message));
});

describe('Windows paths', () => {
  it('keep the colon of their drive, and are outside the source', async () => {
    const { mounts } = await serviceWith("volumes: ['C:\\notes:/notes:ro', 'd:/lists:/lists']");
    expect(mounts).toMatchObject([
      { type: 'bind', source: { path: 'C:\\notes', isInside: false }, target: '/notes', isReadOnly: true },
      { type: 'bind', source: { path: 'd:/lists', isInside: false }, target: '/lists' },
    ]);
  });
});

describe('service', () => {
  it('accepts the older and the newer form', async () => {
    const old = await serviceWith(
      'mem_limit: 1g\ncpus: 0.5\npids_limit: 9\nmem_reservation: 5m\nscale: 3\nrestart: on-failure:4',
    );
    const now = await serviceWith(
      'deploy:\n  replicas: 3\n  restart_policy: {condition: on-failure, max_attempts: 4}\n  resources:\n    limits: {memory: 1g, cpus: 0.5, pids: 9}\n    reservations: {memory: 5m}',
    );
    expect(now.limits).toEqual(old.limits);
    expect([now.restart, now.replicas]).toEqual([old.restart, old.replicas]);
    expect(now.limits).toEqual({
      cpus: 0.5,
      memoryBytes: 1024 ** 3,
      memoryReservationBytes: 5 * 1024 ** 2,
      memorySwapBytes: null,
      pids: 9,
    });
  });

  it('has no limits by default', async () => {
    const { limits } = await serviceWith('mem_limit: 0\ncpus: 0\npids_limit: -1\nmemswap_limit: -1');
    expect(limits).toEqual({
      cpus: null,
      memoryBytes: null,
      memoryReservationBytes: null,
      memorySwapBytes: -1,
      pids: null,
    });
  });

  it('keeps names such as __proto__', async () => {
    const { environment, labels } = await serviceWith(
      'environment: {__proto__: a, constructor: b}\nlabels: [__proto__=c]',
    );
    expect(Object.entries(environment)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.entries(labels)).toEqual([['__proto__', 'c']]);
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('survives JSON', async () => {
    const project = await projectOf(
      serviceFile('ports: ["80:80"]\nvolumes: ["./a:/a"]\ndepends_on: []\nhealthcheck: {test: x}'),
    );
    expect(JSON.parse(JSON.stringify(project))).toEqual(project);
  });

  it.each([
    [
      'command: a && b',
      'command: everything from & on is ignored, because no shell runs it (write ["sh", "-c", "..."])',
    ],
    ['volumes: ["./a:/a:z,ro"]', 'volumes: z is ignored'],
    ['pull_policy: daily', 'pull_policy: daily is ignored: the image is pulled when it is missing'],
    ['deploy: {mode: global}', 'deploy.mode: global is ignored: replicas decides the number'],
    ['scale: 2\nports: ["80:80"]', 'services.a.ports: only one of 2 replicas can have port 80 of the machine'],
  ])('warns about %j', async (lines, message) => {
    const [first] = await warningsOf(serviceFile(lines));
    expect(first).toMatch(/^compose\.yaml:[45]: /);
    expect(first).toContain(message);
  });

  it('warns about a missing file that it mounts, and not about a folder', async () => {
    const compose = serviceFile('volumes: ["./app.json:/etc/app.json", "./data:/data", "./conf.d:/etc/conf.d"]');
    expect(await warningsOf(compose)).toEqual([
      expect.stringContaining('compose.yaml:4: services.a.volumes: app.json does not exist in the source'),
    ]);
    expect(await warningsOf({ 'compose.yaml': compose, 'app.json': '{}' })).toEqual([]);
  });
});
