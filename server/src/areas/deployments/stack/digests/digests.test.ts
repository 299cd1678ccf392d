import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DeploymentVariable } from '../../model/model.ts';
import {
  addFiles,
  type SourceFiles,
  folderWith,
  type StackOverrides,
  readTestStack,
  testStackError,
} from '../read/stack-rig.ts';

const compose = `services:
  web:
    build: {context: ./web, args: {VERSION: "1"}}
    ports: ["8080:80"]
    environment: {MODE: a, at: here}
    depends_on: [db]
    networks: [front, default]
  api:
    build: {context: ., dockerfile: api/Dockerfile}
    volumes: ["./conf:/conf:ro", "cache:/cache"]
    secrets: [key]
  db:
    image: postgres:17
    volumes: ["data:/data"]
    configs: [tuning]
  side:
    image: sidecar
    network_mode: service:web
  other: {image: other, volumes_from: [db]}
networks: {front: }
volumes: {data: , cache: }
configs: {tuning: {content: "a = 1"}}
secrets: {key: {file: ./key.txt}}
`;
const source: SourceFiles = {
  'compose.yaml': compose,
  '.dockerignore': 'docs\nkey.txt\nconf\nweb\ncompose.yaml\n',
  'web/Dockerfile': 'FROM x',
  'web/index.html': 'hello',
  'web/.dockerignore': '*.md\n',
  'web/README.md': 'a',
  'api/Dockerfile': 'FROM x',
  'api/main.js': '1',
  'docs/x': '1',
  'conf/app.conf': '1',
  'key.txt': 'k',
};
const variables: DeploymentVariable[] = [
  { key: 'AT_BUILD', value: '1', secret: false, buildTime: true },
  { key: 'LATER', value: '1', secret: false, buildTime: false },
];

const digests = async (folder: string, given: StackOverrides = {}) =>
  (await readTestStack(folder, { digestOf: contentOf(folder), ...given, config: { variables, ...given.config } }))!
    .stack.digests;
/** Digests folders by the content of their files. */
const contentOf = (folder: string) => async (path: string) => {
  const { readFile, readdir, stat } = await import('node:fs/promises');
  const place = join(folder, path);
  const stats = await stat(place);
  if (stats.isFile()) return readFile(place, 'utf8');
  const names = (await readdir(place)).toSorted();
  return JSON.stringify(await Promise.all(names.map((name) => readFile(join(place, name), 'utf8'))));
};

async function changedBy(change: (folder: string) => void, given: StackOverrides = {}): Promise<string[]> {
  const folder = folderWith(source);
  const before = await digests(folder);
  change(folder);
  const after = await digests(folder, given);
  return Object.keys(after).filter((name) => before[name] !== after[name]);
}
const file = (from: string, to: string) => (folder: string) => {
  expect(compose).toContain(from);
  addFiles(folder, { 'compose.yaml': compose.replace(from, to) });
};
const write = (path: string, content: string) => (folder: string) => addFiles(folder, { [path]: content });

describe('service digest', () => {
  it.each<[string, string[], (folder: string) => void]>([
    ['nothing', [], () => {}],
    ['lines and comments of the file', [], (folder) => addFiles(folder, { 'compose.yaml': `# hello\n\n${compose}` })],
    ['the order of keys', [], file('{MODE: a, at: here}', '{at: here, MODE: a}')],
    ['times of files', [], (folder) => utimesSync(join(folder, 'web/index.html'), 1, 1)],
    ['permissions of others', [], (folder) => chmodSync(join(folder, 'web/index.html'), 0o600)],
    ['when it is started', [], file('depends_on: [db]', 'depends_on: {db: {condition: service_healthy}}')],
    ['files that the context leaves out', [], write('docs/x', '2')],
    ['files that its own context leaves out', [], write('web/README.md', 'b')],
    ['an image of a registry', ['db', 'other'], file('postgres:17', 'postgres:18')],
    ['its environment', ['web', 'side'], file('MODE: a', 'MODE: b')],
    ['a variable that is called like a field of ours', ['web', 'side'], file('at: here', 'at: there')],
    ['a port', ['web', 'side'], file('8080:80', '8081:80')],
    ['a build argument', ['web', 'side'], file('VERSION: "1"', 'VERSION: "2"')],
    ['a network that it is on', ['web', 'side'], file('{front: }', '{front: {internal: true}}')],
    ['a volume that it has', ['api'], file('cache: }', 'cache: {labels: {a: b}}}')],
    ['the text of a config', ['db', 'other'], file('a = 1', 'a = 2')],
    ['the file of a secret', ['api'], write('key.txt', 'l')],
    ['whose a secret is', ['api'], file('secrets: [key]', 'secrets: [{source: key, mode: 0o400}]')],
    ['a file in a folder that is bound', ['api'], write('conf/app.conf', '2')],
    ['a file of the context', ['web', 'side'], write('web/index.html', 'bye')],
    ['a new file of the context', ['api'], write('api/more.js', '1')],
    ['a Dockerfile beside other contexts', ['api'], write('api/Dockerfile', 'FROM y')],
    ['what is ignored', ['web', 'side'], write('web/.dockerignore', 'nothing\n')],
    ['a bit that makes it a program', ['web', 'side'], (folder) => chmodSync(join(folder, 'web/index.html'), 0o755)],
    ['an empty folder', ['web', 'side'], (folder) => mkdirSync(join(folder, 'web/new'))],
    [
      'a link instead of a file',
      ['web', 'side'],
      (folder) => {
        rmSync(join(folder, 'web/index.html'));
        symlinkSync('Dockerfile', join(folder, 'web/index.html'));
      },
    ],
    [
      'that others wait for its end',
      ['db', 'other'],
      file('depends_on: [db]', 'depends_on: {db: {condition: service_completed_successfully}}'),
    ],
  ])('changes with %s: %j', async (_what, expected, change) => {
    expect(await changedBy(change)).toEqual(expected);
  });

  it('changes with build-time variables, and not with others', async () => {
    const later = variables.map((each) => ({ ...each, value: each.buildTime ? '1' : '2' }));
    expect(await changedBy(() => {}, { config: { variables: later } })).toEqual([]);
    const atBuild = variables.map((each) => ({ ...each, value: each.buildTime ? '2' : '1' }));
    expect(await changedBy(() => {}, { config: { variables: atBuild } })).toEqual(['web', 'api', 'side']);
  });

  it('changes with project limits that the file does not override, and with the endpoint port', async () => {
    const limited = compose.replace('image: sidecar', 'image: sidecar\n    mem_limit: 1m\n    cpus: 1');
    const folder = folderWith({ ...source, 'compose.yaml': limited });
    const before = await digests(folder);
    const changed = (after: Record<string, string>) =>
      Object.keys(after).filter((name) => before[name] !== after[name]);
    expect(changed(await digests(folder, { config: { memoryBytes: 5_000_000 } }))).toEqual([
      'web',
      'api',
      'db',
      'side',
      'other',
    ]);
    const own = limited.replace('network_mode: service:web', 'tty: true');
    addFiles(folder, { 'compose.yaml': own });
    const alone = await digests(folder);
    expect((await digests(folder, { config: { memoryBytes: 5_000_000 } }))['side']).toBe(alone['side']);
    const ports = await digests(folder, { config: { publicEndpoints: [{ service: 'web', port: 81 }] } });
    expect(Object.keys(ports).filter((name) => alone[name] !== ports[name])).toEqual(['web']);
    expect(await digests(folder, { config: { publicEndpoints: [{ service: 'web', port: 80 }] } })).toEqual(alone);
  });

  it('is the same for the same source in another folder', async () => {
    expect(await digests(folderWith(source))).toEqual(await digests(folderWith(source)));
  });

  it('of an app covers the whole source, without files that builds recreate', async () => {
    const services = [
      { name: 'a', rootDirectory: 'web', buildCommand: 'make' },
      { name: 'b', rootDirectory: 'api' },
      { name: 'c', image: 'x' },
    ];
    const folder = folderWith(source);
    const all = () => digests(folder, { config: { services } });
    const before = await all();
    addFiles(folder, { 'node_modules/x/y': '1', '.git/HEAD': '1', 'web/node_modules/z': '1' });
    expect(await all()).toEqual(before);
    addFiles(folder, { 'docs/x': '2' });
    const after = await all();
    expect(Object.keys(after).filter((name) => before[name] !== after[name])).toEqual(['a', 'b']);
    services[0]!.buildCommand = 'make all';
    const last = await all();
    expect(Object.keys(last).filter((name) => after[name] !== last[name])).toEqual(['a']);
  });

  it('changes with the service that it is built from', async () => {
    const text = `services:
  base: {build: ./web}
  app: {build: {context: ./api, additional_contexts: {base: "service:base", more: ./docs}}}
`;
    const folder = folderWith({ ...source, 'compose.yaml': text });
    const before = await digests(folder);
    addFiles(folder, { 'web/index.html': 'bye' });
    const after = await digests(folder);
    expect([after['base'] === before['base'], after['app'] === before['app']]).toEqual([false, false]);
    addFiles(folder, { 'docs/x': '2' });
    const last = await digests(folder);
    expect([last['base'] === after['base'], last['app'] === after['app']]).toEqual([true, false]);
  });

  it('reports services that are built from each other', async () => {
    const text = `services:
  a: {build: {context: ./web, additional_contexts: {b: "service:b"}}}
  b: {build: {context: ./api, additional_contexts: {a: "service:a"}}}
`;
    const error = await testStackError(folderWith({ ...source, 'compose.yaml': text }));
    expect(error.message).toBe('services depend on each other in a circle: a -> b -> a');
  });

  it('uses the ignore file of a Dockerfile outside its context', async () => {
    const file = 'services:\n  web: {build: {context: ./web, dockerfile: ../docker/web.Dockerfile}}\n';
    const folder = folderWith({
      'compose.yaml': file,
      'docker/web.Dockerfile': 'FROM x',
      'docker/web.Dockerfile.dockerignore': '*.md\n',
      'web/.dockerignore': '*.html\n',
      'web/index.html': '1',
      'web/README.md': '1',
    });
    const before = await digests(folder);
    addFiles(folder, { 'web/README.md': '2' });
    expect(await digests(folder), 'what they leave out').toEqual(before);
    addFiles(folder, { 'web/index.html': '2' });
    expect(await digests(folder), 'what the context alone would leave out').not.toEqual(before);
  });

  it('reports an invalid .dockerignore', async () => {
    const error = await testStackError(folderWith({ ...source, 'web/.dockerignore': 'a[\n' }));
    expect([error.code, error.message]).toEqual([
      'build_refused',
      'line 1 of .dockerignore is not a valid pattern: a[',
    ]);
  });
});

it('reads each of thousands of files once for many services', async () => {
  const folder = folderWith({});
  for (let i = 0; i < 3000; i++) {
    if (i % 100 === 0) mkdirSync(join(folder, `d${i / 100}`));
    writeFileSync(join(folder, `d${Math.floor(i / 100)}/f${i}`), `${i}`.repeat(1000));
  }
  const digestsOf = async (count: number) => {
    const names = Array.from({ length: count }, (_, i) => `  s${i}: {build: {context: ., dockerfile_inline: FROM x}}`);
    addFiles(folder, { 'compose.yaml': `services:\n${names.join('\n')}\n` });
    const from = performance.now();
    expect(new Set(Object.values(await digests(folder))).size).toBe(count);
    return performance.now() - from;
  };
  const one = await digestsOf(1);
  // Without sharing reads it would take 20 times as long.
  expect(await digestsOf(20), 'ms').toBeLessThan(8 * one + 500);
});
