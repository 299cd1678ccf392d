import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { projectOf } from '../compose-rig.ts';
import { projectEscapes } from '../escapes/index.ts';
import { ComposeError, problemText } from '../problems.ts';
import { readServiceEntries } from './index.ts';
import { ServiceEntry } from './service-entry.ts';

const read = (entries: unknown[]) =>
  readServiceEntries(
    'shop',
    entries.map((entry) => ServiceEntry.parse(entry)),
  );
const mistakes = (entries: unknown[]) => {
  try {
    read(entries);
    return [];
  } catch (error) {
    if (error instanceof ComposeError) return error.problems.map(problemText);
    throw error;
  }
};

/** Removes positions, which differ. */
const withoutPlaces = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutPlaces)
    : value && typeof value === 'object'
      ? Object.fromEntries(
          Object.entries(value).flatMap(([key, item]) =>
            key === 'at' || key === 'places' ? [] : [[key, withoutPlaces(item)]],
          ),
        )
      : value;

describe('services of a request', () => {
  it('equal those of the same compose file', async () => {
    const entries = [
      {
        name: 'web',
        build: './web',
        dockerfile: 'docker/Dockerfile',
        ports: ['8080:80', { target: 81, published: 8081 }],
        dependsOn: { db: { condition: 'service_healthy' } },
        environment: ['A=1', 'B=$HOME'],
        volumes: ['./conf:/conf:ro', { type: 'tmpfs', target: '/tmp' }],
        stopGracePeriod: '5s',
        working_dir: '/app',
      },
      {
        name: 'db',
        image: 'postgres',
        environment: { P: 'x', N: 5 },
        volumes: ['data:/data'],
        healthcheck: { test: 'pg_isready' },
      },
    ];
    const file = `services:
  web:
    build: {context: ./web, dockerfile: docker/Dockerfile}
    ports: ["8080:80", {target: 81, published: 8081}]
    depends_on: {db: {condition: service_healthy}}
    environment: [A=1, B=$$HOME]
    volumes: ["./conf:/conf:ro", {type: tmpfs, target: /tmp}]
    stop_grace_period: 5s
    working_dir: /app
  db:
    image: postgres
    environment: {P: x, N: 5}
    volumes: ["data:/data"]
    healthcheck: {test: pg_isready}
volumes:
  data:
`;
    expect(withoutPlaces(read(entries))).toEqual(withoutPlaces(await projectOf(file, { name: 'shop' })));
  });

  it('are apps without an image and a Dockerfile', () => {
    const [web, api] = read([
      {
        name: 'web',
        rootDirectory: './apps/web/',
        buildCommand: 'npm run build',
        outputDirectory: 'dist',
        framework: 'vite',
      },
      { name: 'api', rootDirectory: 'apps/api', dockerfile: 'Dockerfile.prod', port: 3000 },
    ]).services;
    expect(web).toMatchObject({
      build: null,
      app: {
        rootDirectory: 'apps/web',
        buildCommand: 'npm run build',
        outputDirectory: 'dist',
        framework: 'vite',
        port: null,
      },
    });
    expect(api).toMatchObject({
      app: null,
      build: { context: { path: 'apps/api', isInside: true }, dockerfile: 'Dockerfile.prod' },
      expose: ['3000'],
    });
  });

  it('are validated like those of a file', () => {
    expect(
      mistakes([
        { name: 'a', image: 'x', ports: ['80:x'], dependsOn: ['none'] },
        { name: 'a', image: 'x', envFile: '.env', secrets: ['s'] },
        { name: 'b', rootDirectory: '../up' },
        { name: 'c', image: 'x', stop_signal: 'X', stopSignal: 'Y' },
      ]),
    ).toEqual([
      'services[0]: services.a.ports: 80:x: the port of the container must be from 1 to 65535',
      'services[1]: envFile is only supported in compose files',
      'services[1]: secrets is only supported in compose files',
      'services[2]: rootDirectory is outside the source',
      'services[3]: stopSignal appears twice',
      'services[1]: there are two services named a',
      'services[0]: services.a depends on none, which does not exist',
    ]);
  });

  it('have no other access to the machine', () => {
    const project = read([
      {
        name: 'a',
        image: 'x',
        privileged: true,
        volumes: ['/var/run/docker.sock:/s', { type: 'bind', source: '/', target: '/h' }],
      },
      { name: 'b', build: { context: '..' }, capAdd: ['SYS_ADMIN'], networkMode: 'host' },
    ]);
    expect(projectEscapes(project).map(({ service, field, file }) => `${file} ${service} ${field}`)).toEqual([
      'services[0] a privileged',
      'services[0] a volumes',
      'services[0] a volumes',
      'services[1] b cap_add',
      'services[1] b network_mode',
      'services[1] b build.context',
    ]);
    expect(project.warnings).toEqual([]);
  });

  it('warn about ignored fields', () => {
    const [warning] = read([{ name: 'a', image: 'x', surprise: 1 }]).warnings;
    expect(problemText(warning!)).toBe('services[0]: services.a.surprise is ignored: there is no such field');
    const { warnings } = read([{ name: 'a', image: 'x', startCommand: 'y', port: 80, rootDirectory: 'z' }]);
    expect(warnings.map(problemText)).toEqual([
      'services[0]: services.a.rootDirectory is ignored: it has an image or a Dockerfile of its own',
      'services[0]: services.a.startCommand is ignored: it has an image or a Dockerfile of its own',
    ]);
  });

  it.each([
    {},
    { name: '' },
    { name: 'a b' },
    { name: '-a' },
    { name: '__proto__' },
    { name: 'a', port: 0 },
    { name: 'a', build: 5 },
    { name: 'a', ports: '80' },
  ])('%j does not match the schema', (entry) => expect(ServiceEntry.safeParse(entry).success).toBe(false));

  it('of any shape are parsed or rejected', () => {
    const keys = fc.constantFrom(
      'image',
      'build',
      'ports',
      'dependsOn',
      'environment',
      'volumes',
      'command',
      'deploy',
      'networks',
      'ulimits',
      '__proto__',
      'x-a',
    );
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (entry) => {
        const parsed = ServiceEntry.safeParse({ ...entry, name: 'a' });
        if (!parsed.success) return;
        try {
          readServiceEntries('p', [parsed.data]);
        } catch (error) {
          expect(error).toBeInstanceOf(ComposeError);
        }
      }),
      { numRuns: 300 },
    );
    let deep: unknown = 1;
    for (let i = 0; i < 5000; i++) deep = [deep];
    expect(mistakes([{ name: 'a', image: 'x', command: deep }])[0]).toContain('nested too deeply');
  });
});
