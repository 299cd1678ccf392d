import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { newFolder } from '../../../../../test/rig/children.ts';
import { serviceFile } from '../../../../compose/compose-rig.ts';
import { declared, serviceEscapeExamples } from '../../../../compose/escapes/escapes-rig.ts';
import { ServiceEntry } from '../../../../compose/index.ts';
import { AppError } from '../../../../errors.ts';
import { requireServices } from './request.ts';
import { folderWith, readTestStack, testStackError } from '../read/stack-rig.ts';

const both = [
  { mode: 'self-hosted' as const, trusted: false },
  { mode: 'cloud' as const, trusted: true },
];
const rest: Record<string, string> = {
  volumes: 'volumes: {v: }',
  configs: 'configs: {c: {content: x}}',
  secrets: 'secrets: {s: {environment: S}}',
};
const projectFile = (line: string) =>
  [
    'services: {a: {image: x, volumes: ["v:/v"], configs: [c], secrets: [s]}}',
    line,
    ...Object.entries(rest).flatMap(([key, text]) => (line.startsWith(key) ? [] : [text])),
  ].join('\n');
const variables = [{ key: 'S', value: 'x', secret: true, buildTime: false }];

describe.each(both)('access to the machine is rejected for %j', (trust) => {
  it.each(serviceEscapeExamples)('in a file: %s', async (lines, field) => {
    const error = await testStackError(folderWith({ 'compose.yaml': serviceFile(lines) }), trust);
    expect(error.code).toBe('not_trusted');
    expect(error.message).toContain(`compose.yaml:4: services.a.${field}: `);
    expect(error.hint).toMatch(trust.mode === 'cloud' ? /Cloud mode/ : /mooring project trust shop/);
  });

  // Cloud mode ignores subnets.
  const rejected = declared.filter(([, field]) => trust.mode !== 'cloud' || !field.includes('ipam'));
  it.each(rejected)('declared in a file: %s', async (line, field) => {
    const folder = folderWith({ 'compose.yaml': projectFile(line) });
    const error = await testStackError(folder, { ...trust, config: { variables } });
    expect(error.code).toBe('not_trusted');
    expect(error.message).toContain(`compose.yaml:2: ${field}: `);
  });

  it.each(serviceEscapeExamples)('in a request: %s', async (lines, field) => {
    const services = [ServiceEntry.parse({ name: 'a', image: 'x', ...(parse(lines) as object) })];
    const on = { slug: 'shop', hasContainers: true, hasSource: true, ...trust };
    let refused: unknown;
    try {
      requireServices(services, on);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(AppError);
    const { code, extra } = refused as AppError;
    expect(code).toBe('bad_request');
    expect(extra.details).toContainEqual({
      field: 'services[0]',
      message: expect.stringContaining(`services.a.${field}: `) as string,
    });
    // The deployment checks again, even if the services are stored already.
    expect((await testStackError(folderWith({}), { ...trust, config: { services } })).code).toBe('not_trusted');
  });
});

describe('a trusted project', () => {
  const unheard = /container:|\.\.|~|\/src|oci-layout/;
  it.each(serviceEscapeExamples.filter(([lines]) => !unheard.test(lines)))('may use %s', async (lines) => {
    const folder = folderWith({ 'compose.yaml': serviceFile(lines), Dockerfile: 'FROM x' });
    expect((await readTestStack(folder, { trusted: true }))?.stack.project.services).toHaveLength(1);
  });

  it.each(['volumes: ["~root/x:/x"]', 'network_mode: "container:db"', 'build: ../up'])(
    'is told that %s is not supported',
    async (lines) => {
      const error = await testStackError(folderWith({ 'compose.yaml': serviceFile(lines) }), { trusted: true });
      expect(error.code).toBe('compose_invalid');
      expect(error.message).toMatch(/^compose\.yaml:\d+: services\.a/);
    },
  );
});

it.each(['..', '../x', '/etc', 'a/../../b'])(
  'rejects the volume subpath %s, which leaves the volume',
  async (subpath) => {
    const mount = `{type: volume, source: v, target: /v, volume: {subpath: "${subpath}"}}`;
    const file = `services: {a: {image: x, volumes: [${mount}]}}\nvolumes: {v: }\n`;
    const error = await testStackError(folderWith({ 'compose.yaml': file }), { trusted: true });
    expect(error.message).toContain('must be a path inside the volume');
  },
);

describe('link out of the source', () => {
  const outside = () => {
    const folder = newFolder('outside');
    writeFileSync(join(folder, 'file'), 'SECRET=1');
    mkdirSync(join(folder, 'inner'));
    return folder;
  };
  it.each([
    ['a folder that is bound', 'volumes: ["./link:/x"]'],
    ['something below it', 'volumes: ["./link/inner:/x"]'],
    ['something below it that is not there', 'volumes: ["./link/new/folder:/x"]'],
    ['a file that is bound', 'volumes: ["./link/file:/x:ro"]'],
    ['a build context', 'build: ./link'],
    ['a Dockerfile', 'build: {context: ., dockerfile: link/file}'],
    ['another context', 'build: {context: ., additional_contexts: {x: ./link}}'],
  ])('is rejected as %s', async (_what, lines) => {
    const folder = folderWith({ 'compose.yaml': serviceFile(lines), Dockerfile: 'FROM x' });
    symlinkSync(outside(), join(folder, 'link'));
    const error = await testStackError(folder);
    expect(error.code).toBe('compose_invalid');
    expect(error.message).toMatch(/^compose\.yaml:4: services\.a\.\w+: link.* symbolic link that leaves the source$/m);
  });

  it.each([
    ['a config', 'services: {a: {image: x, configs: [c]}}\nconfigs: {c: {file: link/file}}'],
    ['a secret', 'services: {a: {image: x, secrets: [c]}}\nsecrets: {c: {file: link/file}}'],
    ['an include', 'include: [link/file]\nservices: {a: {image: x}}'],
    ['what is extended', serviceFile('extends: {file: link/file, service: a}')],
  ])('is rejected as %s', async (_what, file) => {
    const folder = folderWith({ 'compose.yaml': file });
    symlinkSync(outside(), join(folder, 'link'));
    const error = await testStackError(folder);
    expect(error.code).toBe('compose_invalid');
    expect(error.message).not.toContain('SECRET');
  });

  it('is not followed as an env_file', async () => {
    const folder = folderWith({ 'compose.yaml': serviceFile('env_file: link/file') });
    symlinkSync(outside(), join(folder, 'link'));
    const { stack, warnings } = (await readTestStack(folder))!;
    expect(stack.project.services[0]!.environment).toEqual({});
    expect(warnings[0]!.message).toContain('env_file: link/file does not exist in the source');
  });

  it('is rejected as the root directory of an app in a request', async () => {
    const folder = folderWith({});
    symlinkSync(outside(), join(folder, 'link'));
    const services = [{ name: 'a', rootDirectory: 'link/inner' }];
    expect((await testStackError(folder, { config: { services } })).message).toContain(
      'services.a.rootDirectory: link/inner',
    );
  });

  it('is accepted where it stays inside', async () => {
    const folder = folderWith({ 'compose.yaml': serviceFile('volumes: ["./link:/x"]'), 'real/file': 'x' });
    symlinkSync('real', join(folder, 'link'));
    expect((await readTestStack(folder))?.stack.contents).toHaveProperty('link');
    symlinkSync('nowhere', join(folder, 'real/dangling'));
    expect((await readTestStack(folder))?.stack.contents).toHaveProperty('link');
  });
});

describe('published ports', () => {
  const two = (a: string, b: string) =>
    folderWith({
      'compose.yaml': `services:\n  a:\n    image: x\n    ports: ["${a}"]\n  b:\n    image: x\n    ports: ["${b}"]\n`,
    });

  it.each([
    ['8080:80', '8080:81'],
    ['127.0.0.1:8080:80', '8080:81'],
    ['0.0.0.0:8080:80', '127.0.0.1:8080:81'],
    ['53:53/udp', '53:54/udp'],
  ])('conflict: %s and %s', async (a, b) => {
    const error = await testStackError(two(a, b));
    expect(error.code).toBe('compose_invalid');
    expect(error.message).toMatch(/^compose\.yaml:7: a and b both ask for port \d+(\/udp)? of the machine$/);
  });

  it.each([
    ['8080:80', '8081:80'],
    ['80', '80'],
    ['127.0.0.1:8080:80', '127.0.0.2:8080:80'],
    ['53:53/udp', '53:53/tcp'],
    ['8000-8010:80', '8000-8010:80'],
  ])('do not conflict: %s and %s', async (a, b) =>
    expect((await readTestStack(two(a, b)))?.stack.project.services).toHaveLength(2),
  );

  it('are not available in cloud mode', async () => {
    const folder = two('8080:80', '127.0.0.1:8080:53/udp');
    const { stack, warnings } = (await readTestStack(folder, { mode: 'cloud' }))!;
    expect(stack.project.services.flatMap(({ ports }) => ports.map(({ published }) => published))).toEqual([
      null,
      null,
    ]);
    expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '4 services.a.ports: port 8080 of the machine is not available in cloud mode; use the address of the project',
      '7 services.b.ports: port 8080 of the machine is not available in cloud mode; udp is reachable inside the project only',
    ]);
  });
});

it('ignores fixed addresses in cloud mode, and keeps them elsewhere', async () => {
  const folder = folderWith({
    'compose.yaml': `services:
  a: {image: x, networks: {n: {ipv4_address: 172.28.0.5}}}
networks:
  n: {ipam: {config: [{subnet: 172.28.0.0/24}]}}
`,
  });
  const here = (await readTestStack(folder))!;
  expect(here.stack.project.services[0]!.networks[0]!.address).toBe('172.28.0.5');
  expect(here.warnings).toEqual([]);
  const { stack, warnings } = (await readTestStack(folder, { mode: 'cloud' }))!;
  expect(stack.project.services[0]!.networks).toEqual([{ name: 'n', aliases: [] }]);
  expect(stack.project.networks[0]).not.toHaveProperty('subnet');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('networks.n.ipam is ignored in cloud mode'),
  ]);
});

it('limits networks in cloud mode', async () => {
  const names = Array.from({ length: 21 }, (_, i) => `n${i}`);
  const file = (some: string[]) =>
    `services:\n  a: {image: x, networks: [${some.join(', ')}]}\nnetworks:\n${some.map((name) => `  ${name}: {}\n`).join('')}`;
  const cloud = (some: string[]) => readTestStack(folderWith({ 'compose.yaml': file(some) }), { mode: 'cloud' });
  await expect(cloud(names)).rejects.toThrow('more than 20');
  expect(await cloud(names.slice(1))).toBeDefined();
  expect(await readTestStack(folderWith({ 'compose.yaml': file(names) }))).toBeDefined();
});

it('warns about fields without effect', async () => {
  const file = 'services:\n  a:\n    image: x\n    pid: service:b\n    scale: 3\n  b: {image: x}\n';
  const { warnings } = (await readTestStack(folderWith({ 'compose.yaml': file })))!;
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '4 services.a.pid is ignored: each service has its own namespace',
    '5 services.a.scale is ignored: it has one replica, not 3',
  ]);
  const cloud = serviceFile('ipc: shareable\ncap_add: [CHOWN, NET_RAW]\nulimits: {rtprio: 99, nofile: 9}');
  const told = (await readTestStack(folderWith({ 'compose.yaml': cloud }), { mode: 'cloud' }))!.warnings;
  expect(told.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '4 services.a.ipc is ignored: it is private, except in a trusted project',
    '5 services.a.cap_add is ignored: NET_RAW: containers cannot have this in cloud mode',
    '6 services.a.ulimits is ignored: rtprio, rttime: priorities do not exist in cloud mode',
  ]);
});
