import { describe, expect, it } from 'vitest';
import { nothingDetected } from '../../../../detect/detect.ts';
import { folderWith, readTestStack, testStackError } from './stack-rig.ts';

const built = 'services:\n  web: {build: ., ports: ["8080:80"]}\n  db: {image: postgres}\n';
const around = 'services:\n  db: {image: postgres}\n';
const app = { ...nothingDetected, startCommand: 'npm start' };
const variable = (key: string, value: string, secret = false) => ({ key, value, secret, buildTime: false });

describe('compose file', () => {
  it('makes its source a stack', async () => {
    const { stack } = (await readTestStack(folderWith({ 'compose.yaml': built, Dockerfile: 'FROM x' }), {
      found: app,
    }))!;
    expect(stack.project.name).toBe('shop');
    expect(Object.keys(stack.digests)).toEqual(['web', 'db']);
  });

  it('is read from the root directory', async () => {
    const folder = folderWith({ 'apps/shop/docker-compose.yml': built, 'apps/shop/Dockerfile': 'FROM x' });
    expect(await readTestStack(folder)).toBeUndefined();
    const { stack } = (await readTestStack(folder, { rootDirectory: 'apps/shop' }))!;
    expect(stack.project.services[0]!.build!.context).toEqual({ path: 'apps/shop', isInside: true });
  });

  it('counts before the services that the project was adopted with', async () => {
    const document = JSON.stringify({
      services: { old: { image: 'redis', volumes: ['data:/data'] } },
      volumes: { data: { external: true } },
    });
    const namesIn = async (hasSource: boolean) => {
      const found = await readTestStack(folderWith({ 'compose.yaml': around }), { hasSource, config: { document } });
      return found!.stack.project.services.map(({ name }) => name);
    };
    expect([await namesIn(true), await namesIn(false)]).toEqual([['db'], ['old']]);
    const external = folderWith({ 'compose.yaml': document });
    expect((await testStackError(external, { config: { document } })).message).toContain(
      'does not belong to this project',
    );
  });

  it('warns about variables that are not set, and names the adopted service that has a value', async () => {
    const environment = { TOKEN: 'x', POSTGRES_PASSWORD: 'y', EMPTY: '' };
    const document = JSON.stringify({ services: { db: { image: 'postgres', environment } } });
    const file = [
      'services:',
      '  db:',
      '    image: postgres',
      '    environment:',
      '      POSTGRES_PASSWORD: ${DB_PASSWORD}',
      '      EMPTY: ${EMPTY}',
      '  web:',
      '    image: web$constructor',
      '    command: run --token ${TOKEN}',
      '    user: ${TOKEN}',
    ].join('\n');
    const { warnings } = (await readTestStack(folderWith({ 'compose.yaml': file }), { config: { document } }))!;
    const unset = (name: string) => `the variable ${name} is not set; an empty value is used`;
    const how = (name: string) => `Set it: mooring env set shop ${name}, or deploy with --include-env`;
    expect(warnings.map(({ message }) => message)).toEqual([
      `${unset('DB_PASSWORD')}, but the adopted service db has a value in POSTGRES_PASSWORD. ${how('DB_PASSWORD')}`,
      unset('EMPTY'),
      unset('constructor'),
      `${unset('TOKEN')}, but the adopted service db has a value in TOKEN. ${how('TOKEN')}`,
      unset('TOKEN'),
    ]);
  });

  it('is the one that COMPOSE_FILE names', async () => {
    const folder = folderWith({ 'deploy/prod.yml': around });
    const config = { variables: [variable('COMPOSE_FILE', 'deploy/prod.yml')] };
    expect((await readTestStack(folder, { config }))?.stack.project.services).toHaveLength(1);
  });

  it.each(['installCommand', 'buildCommand', 'startCommand', 'outputDirectory'] as const)(
    'is ignored if the project sets %s',
    async (setting) => {
      const lines: string[] = [];
      const on = { config: { [setting]: '' }, log: (line: string) => lines.push(line) };
      expect(await readTestStack(folderWith({ 'compose.yaml': built }), on)).toBeUndefined();
      expect(lines).toEqual(['compose.yaml is ignored: the project settings say how to build']);
    },
  );

  it.each([
    ['an app', { ...nothingDetected, startCommand: 'npm start' }],
    ['a Dockerfile', { ...nothingDetected, dockerfile: 'Dockerfile' }],
    ['a site', { ...nothingDetected, outputDirectory: '' }],
  ])('is ignored if it builds nothing and the source is %s', async (_what, found) => {
    const lines: string[] = [];
    const folder = folderWith({ 'compose.yaml': around });
    expect(await readTestStack(folder, { found, log: (line: string) => lines.push(line) })).toBeUndefined();
    expect(lines[0]).toContain('compose.yaml is ignored: none of its services is built from this source');
    expect(lines[0]).toContain('set the variable COMPOSE_FILE=compose.yaml');
    const chosen = { variables: [variable('COMPOSE_FILE', 'compose.yaml')] };
    expect(await readTestStack(folderWith({ 'compose.yaml': around }), { found: app, config: chosen })).toBeDefined();
    expect((await readTestStack(folder))?.stack.project.services).toHaveLength(1);
  });

  it('with errors is ignored if it builds nothing', async () => {
    const lines: string[] = [];
    const folder = folderWith({ 'compose.yaml': 'services:\n  db: {image: "${PICK:?which}"}\n' });
    expect(await readTestStack(folder, { found: app, log: (line: string) => lines.push(line) })).toBeUndefined();
    expect(lines).toEqual([
      expect.stringMatching(/^compose\.yaml is ignored because it cannot be read \(compose\.yaml:2: /),
    ]);
    expect((await testStackError(folder)).code).toBe('compose_invalid');
    const builds = folderWith({ 'compose.yaml': 'services:\n  db: {build: ., image: "${PICK:?which}"}\n' });
    expect((await testStackError(builds, { found: app })).code).toBe('compose_invalid');
  });

  it('is not ignored if the active release has services', async () => {
    const replacing = (...activeServices: string[]) => ({ found: app, activeServices });
    expect(await readTestStack(folderWith({ 'compose.yaml': around }), replacing('web', 'db'))).toBeDefined();
    const other = { ...replacing('web'), log: () => {} };
    expect(await readTestStack(folderWith({ 'compose.yaml': around }), other), 'none of them').toBeUndefined();
    const broken = folderWith({ 'compose.yaml': 'services:\n  web:\n    image: [' });
    expect((await testStackError(broken, replacing('web'))).code).toBe('compose_invalid');
  });

  it('needs a container engine', async () => {
    const folder = folderWith({ 'compose.yaml': built });
    expect(await readTestStack(folder, { found: app, hasContainers: false })).toBeUndefined();
    const error = await testStackError(folder, { hasContainers: false });
    expect([error.code, error.message]).toEqual([
      'no_containers',
      'compose.yaml needs Docker, and this machine has none',
    ]);
  });

  it('is rejected with all of its errors at once', async () => {
    const file = 'services:\n  a:\n    image: x\n    ports: ["x"]\n  b:\n    depends_on: [c]\n';
    const error = await testStackError(folderWith({ 'compose.yaml': file }));
    expect(error.code).toBe('compose_invalid');
    expect(error.message.split('\n').map((line) => line.split(': ')[0])).toEqual([
      'compose.yaml:4',
      'compose.yaml:5',
      'compose.yaml:6',
    ]);
    expect(error.hint).toContain('compose file');
  });

  it('is rejected for invalid names before anything starts', async () => {
    const file = `services:
  web: {image: nginx}
  api:
    build: .
    image: "Built Here"
  Web: {image: nginx}
  db:
    restart: always
    image: "UPPER CASE!!"
  tagless: {image: "some:\${NOWHERE}"}
  fine: {image: "Registry.example:5000/team/app:1.2@sha256:${'a'.repeat(64)}"}
`;
    const error = await testStackError(folderWith({ 'compose.yaml': file, Dockerfile: 'FROM x' }));
    expect([error.code, error.message.split('\n')]).toEqual([
      'compose_invalid',
      [
        'compose.yaml:6: services web and Web differ in case only and would have the same host name',
        'compose.yaml:9: services.db.image: "UPPER CASE!!" is not an image name',
        'compose.yaml:10: services.tagless.image: "some:" is not an image name. The variable NOWHERE is not set',
      ],
    ]);
  });

  it('is interpolated with variables, which only the services that name them receive', async () => {
    const file = `services:
  a: {image: "x:\${TAG}", environment: [PASSWORD, "URL=pg://u:\${PASSWORD}@db"], secrets: [s]}
  b: {image: y, environment: {OTHER: "1"}}
secrets: {s: {environment: TOKEN}}
`;
    const variables = [variable('TAG', '1.2'), variable('PASSWORD', 'hunter22', true), variable('TOKEN', 'not marked')];
    const { stack } = (await readTestStack(folderWith({ 'compose.yaml': file }), { config: { variables } }))!;
    expect(stack.project.services.map(({ image, environment }) => [image, environment])).toEqual([
      ['x:1.2', { PASSWORD: 'hunter22', URL: 'pg://u:hunter22@db' }],
      ['y', { OTHER: '1' }],
    ]);
    expect(stack.secrets).toEqual(['hunter22', 'not marked']);
    expect(stack.contents['//secrets/s']).toMatch(/^[0-9a-f]{64}$/);
  });

  it('warns that external build caches are not used', async () => {
    const file = 'services:\n  a:\n    build:\n      context: .\n      cache_from: [some/image]\n';
    const { warnings } = (await readTestStack(folderWith({ 'compose.yaml': file, Dockerfile: 'FROM x' })))!;
    expect(warnings).toEqual([
      {
        file: 'compose.yaml',
        line: 5,
        message: 'services.a.build.cache_from is ignored: the cache of the builder is used',
      },
    ]);
  });

  it('must contain the services that endpoints name', async () => {
    const on = { config: { publicEndpoints: [{ service: 'shop', port: 80 }] } };
    const error = await testStackError(folderWith({ 'compose.yaml': around }), on);
    expect([error.code, error.hint]).toEqual(['unknown_service', 'There are db.']);
  });

  it('stores a config for each owner it is given to', async () => {
    const file = `services:
  a: {image: x, configs: [c, {source: f, mode: 0o400, uid: "5"}]}
  b: {image: x, configs: [{source: c, gid: "7"}, {source: c, target: /again}, {source: f, target: /f}]}
configs: {c: {content: hello}, f: {file: ./f.txt}}
`;
    const kept: unknown[] = [];
    const folder = folderWith({ 'compose.yaml': file, 'f.txt': '1' });
    const { stack } = (await readTestStack(folder, {
      digestOf: async (path, owned) => `${kept.push([path, owned?.uid, owned?.mode])}`,
      digestOfText: async (text, owned) => `${kept.push([text, owned?.gid])}`,
    }))!;
    expect(stack.contents).toEqual({
      '//configs/c': '1',
      '//configs/c/:7:': '2',
      '//configs/f/5::256': '3',
      'f.txt': '4',
    });
    expect(kept).toEqual([
      ['hello', undefined],
      ['hello', '7'],
      ['f.txt', '5', 0o400],
      ['f.txt', undefined, undefined],
    ]);
  });

  it('stores the files that containers mount, and records missing ones', async () => {
    const file = `services:
  a: {image: x, volumes: ["./conf:/conf:ro", "./data:/data", "./one.txt:/one.txt"], configs: [c]}
configs: {c: {content: hello}}
`;
    const { stack } = (await readTestStack(folderWith({ 'compose.yaml': file, 'conf/a': '1', 'one.txt': '1' })))!;
    expect(Object.keys(stack.contents).toSorted()).toEqual(['//configs/c', 'conf', 'data', 'one.txt']);
    expect(stack.contents['data']).toBeNull();
    const strict = 'services:\n  a: {image: x, volumes: [{type: bind, source: ./none, target: /x}]}\n';
    const error = await testStackError(folderWith({ 'compose.yaml': strict }));
    expect(error.message).toBe('compose.yaml:2: services.a.volumes: none does not exist in the source');
  });
});

describe('services of a request', () => {
  const services = [
    { name: 'web', rootDirectory: 'apps/web', environment: { MODE: 'own', KEY: null, NOBODYS: null } },
    { name: 'db', image: 'postgres' },
  ];

  it("take precedence over the source and receive the project's variables", async () => {
    const folder = folderWith({ 'compose.yaml': built, 'apps/web/package.json': '{}' });
    const variables = [variable('MODE', 'project'), variable('KEY', 'secret', true)];
    const { stack } = (await readTestStack(folder, {
      config: { services, variables, buildCommand: 'make' },
      found: app,
    }))!;
    expect(stack.project.services.map(({ name, environment }) => [name, environment])).toEqual([
      ['web', { MODE: 'own', KEY: 'secret', NOBODYS: null }],
      ['db', { MODE: 'project', KEY: 'secret' }],
    ]);
    expect(stack.secrets).toEqual(['secret']);
  });

  it('need a source if they are built', async () => {
    const error = await testStackError(folderWith({}), { config: { services }, hasSource: false });
    expect([error.code, error.message]).toEqual([
      'no_source',
      'services[0]: web is built from source, and this project has no source',
    ]);
    const images = { config: { services: services.slice(1) }, hasSource: false };
    expect((await readTestStack(folderWith({}), images))?.stack.project.services).toHaveLength(1);
    expect((await testStackError(folderWith({}), { hasSource: false })).code).toBe('nothing_to_run');
  });

  it('need a container engine', async () => {
    expect((await testStackError(folderWith({}), { config: { services }, hasContainers: false })).code).toBe(
      'no_containers',
    );
  });
});
