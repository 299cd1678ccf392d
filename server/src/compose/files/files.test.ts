import { describe, expect, it } from 'vitest';
import { mistakesOf, projectOf, warningsOf } from '../compose-rig.ts';

const service = async (files: Record<string, string>, name: string) =>
  (await projectOf(files)).services.find((each) => each.name === name)!;

describe('compose files', () => {
  it('are found by their default names, in the order of Docker Compose', async () => {
    const names = ['docker-compose.yaml', 'docker-compose.yml', 'compose.yml', 'compose.yaml'];
    const files: Record<string, string> = {};
    for (const name of names) {
      files[name] = `services: {a: {image: "${name}"}}`;
      expect((await projectOf(files)).services[0]!.image).toBe(name);
    }
    files['docker-compose.override.yml'] = 'services: {a: {image: override}}';
    expect((await projectOf(files)).services[0]!.image).toBe('override');
  });

  it('may be in a folder, whose relative paths may go up to the root of the source', async () => {
    const files = {
      'deploy/compose.yaml': 'services: {a: {build: .., volumes: ["./x:/x", "../../y:/y"], env_file: ../shared.env}}',
      'shared.env': 'A=1',
    };
    const [a] = (await projectOf(files, { folder: 'deploy' })).services;
    expect(a!.build!.context).toEqual({ path: '', isInside: true });
    expect(a!.mounts.map((mount) => mount.type === 'bind' && mount.source)).toEqual([
      { path: 'deploy/x', isInside: true },
      { path: '../y', isInside: false },
    ]);
    expect(a!.environment).toEqual({ A: '1' });
    await expect(projectOf(files, { folder: '../elsewhere' })).rejects.toThrow('not a folder of the source');
    await expect(projectOf(files)).rejects.toThrow('There is no compose file in the source');
  });

  it('are chosen by the caller or by variables', async () => {
    const files = {
      'a.yml': 'services: {a: {image: a}}',
      'b.yml': 'services: {a: {image: b}}',
      '.env': 'COMPOSE_FILE=a.yml:b.yml',
    };
    expect((await projectOf(files)).services[0]!.image).toBe('b');
    expect((await projectOf(files, { files: ['a.yml'] })).services[0]!.image).toBe('a');
    await expect(projectOf(files, { files: ['../x.yml'] })).rejects.toThrow('is outside the source');
    expect(await mistakesOf(files, { files: ['c.yml'] })).toEqual(['c.yml: c.yml does not exist in the source']);
  });

  it('name the project', async () => {
    const text = 'name: "${N:-shop}"\nservices: {a: {image: "${COMPOSE_PROJECT_NAME}"}}';
    expect(await projectOf(text)).toMatchObject({ name: 'shop', services: [{ image: 'shop' }] });
    expect(await projectOf(text, { environment: { N: 'n' } })).toMatchObject({ name: 'n' });
    expect(await projectOf(text, { name: 'given' })).toMatchObject({ name: 'given', services: [{ image: 'given' }] });
    expect(
      await mistakesOf({ 'compose.yaml': 'services: {a: {image: x}}', '.env': 'COMPOSE_PROJECT_NAME=../up' }),
    ).toEqual(['COMPOSE_PROJECT_NAME: name: must be lower-case letters, digits, dashes and underscores']);
    expect(await projectOf('services: {a: {image: x}}\nname: My Shop.1')).toMatchObject({ name: 'myshop1' });
    expect(await mistakesOf('services: {}\nname: -_!')).toEqual([
      'compose.yaml:2: name: must be lower-case letters, digits, dashes and underscores',
    ]);
  });
});

describe('merging', () => {
  it('reports files that cannot be merged', async () => {
    const files = {
      'compose.yaml': 'services:\n  a:\n    image: x\n    ports: ["80:80"]\n',
      'compose.override.yaml': 'services:\n  a:\n    ports:\n      "80": 1\n',
    };
    expect(await mistakesOf(files)).toContain(
      'compose.override.yaml:4: services.a.ports: a mapping cannot be merged with a list of compose.yaml',
    );
  });

  it('keeps the line of the effective value', async () => {
    const files = {
      'compose.yaml': 'services:\n  a:\n    image: x\n    privileged: true\n    cap_add: [SYS_ADMIN]\n',
      'compose.override.yaml': '\n\nservices:\n  a:\n    privileged: "yes"\n',
    };
    const a = await service(files, 'a');
    expect(a.places['privileged']).toEqual({ file: 'compose.override.yaml', line: 5 });
    expect(a.places['cap_add']).toEqual({ file: 'compose.yaml', line: 5 });
  });
});

describe('extends', () => {
  it.each([
    ['services:\n  a: {extends: a}', 'compose.yaml:2: extends: circular reference, compose.yaml: a -> compose.yaml: a'],
    [
      'services:\n  a: {extends: b}\n  b: {extends: {service: a}}',
      'compose.yaml:2: extends: circular reference, compose.yaml: a -> compose.yaml: b -> compose.yaml: a',
    ],
    ['services:\n  a: {extends: c}', 'compose.yaml:2: extends: there is no service c in compose.yaml'],
    [
      'services:\n  a: {extends: {file: none.yml, service: c}}',
      'compose.yaml:2: none.yml does not exist in the source',
    ],
    [
      'services:\n  a: {extends: {file: ../up.yml, service: c}}',
      'compose.yaml:2: extends: ../up.yml is outside the source',
    ],
    [
      'services:\n  a: {extends: {file: /etc/x.yml, service: c}}',
      'compose.yaml:2: extends: /etc/x.yml is outside the source',
    ],
    ['services:\n  a: {extends: {file: x.yml}}', 'compose.yaml:2: extends: must name a service'],
    [
      'services:\n  a: {extends: {file: "https://example.com/x.yml", service: a}}',
      'compose.yaml:2: extends: https://example.com/x.yml is not a file of the source',
    ],
  ])('rejects %j', async (text, message) => expect(await mistakesOf(text)).toEqual([message]));

  it('detects cycles across files', async () => {
    const files = {
      'compose.yaml': 'services:\n  a: {extends: {file: b.yml, service: b}}',
      'b.yml': 'services:\n  b: {extends: {file: compose.yaml, service: a}}',
    };
    expect(await mistakesOf(files)).toEqual([
      'compose.yaml:2: extends: circular reference, compose.yaml: a -> b.yml: b -> compose.yaml: a',
    ]);
    const chain = Array.from({ length: 30 }, (_, i) => `  s${i}: {extends: s${i + 1}}`).join('\n');
    expect((await mistakesOf(`services:\n${chain}\n  s30: {image: x}`))[0]).toContain(
      'more than 20 services in a chain',
    );
  });
});

describe('include', () => {
  it.each([
    ['include: [../x.yaml]\nservices: {a: {image: x}}', 'compose.yaml:1: include: ../x.yaml is outside the source'],
    ['include: [none.yaml]\nservices: {a: {image: x}}', 'compose.yaml:1: none.yaml does not exist in the source'],
    [
      'include: ["oci://example.com/x"]\nservices: {a: {image: x}}',
      'compose.yaml:1: include: oci://example.com/x is not a file of the source',
    ],
    [
      'include: ["git@example.com:x.git"]\nservices: {a: {image: x}}',
      'compose.yaml:1: include: git@example.com:x.git is not a file of the source',
    ],
    ['include: compose.yaml\nservices: {a: {image: x}}', 'compose.yaml:1: include: must be a list'],
    [
      'include: [compose.yaml]\nservices: {a: {image: x}}',
      'compose.yaml:1: include: circular reference, compose.yaml -> compose.yaml',
    ],
  ])('rejects %j', async (text, message) => expect(await mistakesOf(text)).toEqual([message]));

  it('rejects different definitions of the same name, and accepts equal ones', async () => {
    const main = 'include: [one.yaml, two.yaml]\nservices: {a: {image: x}}';
    const same = {
      'compose.yaml': main,
      'one.yaml': 'services: {b: {image: b, tty: true}}',
      'two.yaml': 'services: {b: {tty: true, image: b}}',
    };
    expect((await projectOf(same)).services.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(await mistakesOf({ ...same, 'two.yaml': '\nservices:\n  b: {image: c}' })).toEqual([
      'two.yaml:3: services.b: differs from one.yaml:1',
    ]);
  });

  it('is limited in depth', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 600; i++) files[`f${i}.yaml`] = `include: [f${i + 1}.yaml]`;
    expect((await mistakesOf({ ...files, 'compose.yaml': 'include: [f0.yaml]' }))[0]).toContain('more than 500 files');
  });
});

describe('env_file', () => {
  it('is in the source', async () => {
    const file = (env: string) => `services:\n  a:\n    image: x\n    env_file: ${env}\n`;
    expect(await mistakesOf(file('[{path: none.env, required: false}]'))).toEqual([]);
    expect(await mistakesOf(file('../x.env'))).toEqual(['compose.yaml:4: env_file: ../x.env is outside the source']);
    expect(await mistakesOf(file('/proc/self/environ'))).toEqual([
      'compose.yaml:4: env_file: /proc/self/environ is outside the source',
    ]);
    expect(await mistakesOf(file('~/.ssh/id_rsa'))).toEqual([
      'compose.yaml:4: env_file: ~/.ssh/id_rsa is outside the source',
    ]);
    expect(await mistakesOf({ 'compose.yaml': file('a.env'), 'a.env': 'A=1\nB C=2' })).toEqual([
      'a.env:2: the name of a variable cannot contain a space',
    ]);
  });
});

describe('variables', () => {
  it('that are not set are empty, with a warning', async () => {
    expect(await warningsOf('services:\n  a:\n    image: x$TAG\n')).toEqual([
      'compose.yaml:3: the variable TAG is not set; an empty value is used',
    ]);
    const text =
      'services:\n  a:\n    image: x$TAG\n    environment: {KEY: "a${ONE}"}\n  b:\n    environment: [OTHER=$TWO]\n';
    const { warnings } = await projectOf(`${text}    image: x\n`);
    expect(warnings.map(({ unset }) => unset)).toEqual([
      { name: 'TAG' },
      { name: 'ONE', of: { service: 'a', key: 'KEY' } },
      { name: 'TWO', of: { service: 'b', key: 'OTHER' } },
    ]);
  });

  it('that are required are all reported at once', async () => {
    const text = 'services:\n  a:\n    image: ${A:?first}\n    user: ${B?second}\n    tty: ${C';
    expect(await mistakesOf(`${text}"`)).toEqual([
      'compose.yaml:3: the variable A is required and has no value: first',
      'compose.yaml:4: the variable B is required and has no value: second',
      expect.stringContaining('compose.yaml:5: not a valid variable'),
    ]);
  });

  it('for the project folder resolve to it', async () => {
    const text = 'services: {a: {image: x, volumes: ["${PWD}/conf:/conf", "$PWD:/src"]}}';
    const { services, warnings } = await projectOf({ 'sub/compose.yaml': text }, { folder: 'sub' });
    expect(services[0]!.mounts).toMatchObject([
      { source: { path: 'sub/conf', isInside: true } },
      { source: { path: 'sub', isInside: true } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('of the caller override those of .env', async () => {
    const files = { 'compose.yaml': 'services: {a: {image: "$A$B"}}', '.env': 'A=1\nB=$A' };
    expect((await projectOf(files, { environment: { A: '2' } })).services[0]!.image).toBe('22');
    expect((await projectOf(files)).services[0]!.image).toBe('11');
  });
});

describe('profiles', () => {
  const text =
    'services:\n  a: {image: a}\n  b: {image: b, profiles: [p, q]}\n  c: {image: c, profiles: [r], depends_on: [b]}\n';
  const names = async (options: { profiles?: string[]; environment?: Record<string, string> }) =>
    (await projectOf(text, options)).services.map(({ name }) => name);
  it('select services', async () => {
    expect(await names({})).toEqual(['a']);
    expect(await names({ profiles: ['q'] })).toEqual(['a', 'b']);
    expect(await names({ profiles: ['*'] })).toEqual(['a', 'b', 'c']);
    expect(await names({ environment: { COMPOSE_PROFILES: 'p, r' } })).toEqual(['a', 'b', 'c']);
    expect(await mistakesOf(text, { profiles: ['r'] })).toEqual([
      'compose.yaml:4: services.c depends on b, whose profile is not active',
    ]);
  });

  it('selects the profile default if every service has a profile', async () => {
    const all = {
      'compose.yaml': 'services:\n  a: {image: a, profiles: [default]}\n  b: {image: b, profiles: [old]}\n',
    };
    const { services, warnings } = await projectOf(all);
    expect(services.map(({ name }) => name)).toEqual(['a']);
    expect(warnings[0]?.message).toContain('COMPOSE_PROFILES to one or more of default, old');
    expect((await mistakesOf(all, { profiles: ['x'] }))[0]).toContain('none is selected');
  });
});

it('selects the profile without a name if no other is selected, and some profile must be selected', async () => {
  const file = 'services:\n  a: {image: x, profiles: [""]}\n  b: {image: y, profiles: [big]}\n';
  expect((await projectOf(file)).services.map(({ name }) => name)).toEqual(['a']);
  expect((await projectOf(file, { profiles: ['big'] })).services.map(({ name }) => name)).toEqual(['b']);
  expect(await mistakesOf(file, { profiles: ['other'] })).toEqual([
    'compose.yaml:2: services: each has a profile, and none is selected; set the variable COMPOSE_PROFILES to one or more of big',
  ]);
});
