import { expect, it } from 'vitest';
import { detect } from '../../../../detect/index.ts';
import { memoryTree } from '../../../../detect/memory-tree.ts';
import { type SourceSelection, withComposeFile } from './summary.ts';

const prepared = async (files: Record<string, string>, place?: SourceSelection) => {
  const tree = memoryTree(files);
  return withComposeFile(await detect(tree), tree, place);
};
const reached = ({ reach }: Awaited<ReturnType<typeof prepared>>) => reach?.services.map(({ service }) => service);

it('summarizes a compose file', async () => {
  const { compose, services, reasons } = await prepared({
    'docker-compose.yml': `services:
  web:
    build: {context: ./web, target: prod}
    ports: ["8080:80", "81", "53:53/udp"]
    depends_on: [db]
    environment: {PASSWORD: hunter22}
    volumes: ["./conf:/conf"]
    surprise: 1
  db: {image: "postgres:17", privileged: true}
`,
  });
  expect(compose).toBe('docker-compose.yml');
  expect(services).toEqual([
    {
      name: 'web',
      image: null,
      build: { context: 'web', dockerfile: 'Dockerfile', target: 'prod' },
      ports: [
        { target: 80, published: 8080, protocol: 'tcp' },
        { target: 81, published: null, protocol: 'tcp' },
        { target: 53, published: 53, protocol: 'udp' },
      ],
      dependsOn: ['db'],
      environment: ['PASSWORD'],
      volumes: ['/conf'],
    },
    {
      name: 'db',
      image: 'postgres:17',
      build: null,
      ports: [],
      dependsOn: [],
      environment: [],
      volumes: [],
    },
  ]);
  expect(JSON.stringify(reasons)).not.toContain('hunter22');
  expect(reasons).toContain(
    'docker-compose.yml:9: services.db.privileged: a privileged container has full control of the machine; trusted projects only',
  );
  expect(reasons.join('\n')).toContain('docker-compose.yml:8: services.web.surprise is ignored');
});

it('reports the errors of a file along with the services it can read', async () => {
  const { services, reasons } = await prepared({
    'compose.yaml': 'services:\n  a: {image: "${TAG:?which one}"}\n  b: {image: x, ports: [x]}\n',
  });
  expect(services.map(({ name, image }) => [name, image])).toEqual([
    ['a', null],
    ['b', null],
  ]);
  expect(reasons.filter((reason) => reason.startsWith('compose.yaml:2: '))).toHaveLength(1);
});

it.each(['', 'a: [', '\u0000', 'services: 5', '- a', 'services:\n  a: {<<: *x}'])(
  'reports %j as an invalid file',
  async (text) => {
    const { reasons } = await prepared({ 'compose.yaml': text });
    expect(reasons.join('\n')).toMatch(/^compose\.yaml:\d+: /m);
  },
);

it('reports that a file would be ignored', async () => {
  const files = { 'package.json': '{"scripts": {"start": "node ."}}', 'compose.yaml': 'services: {db: {image: x}}' };
  expect((await prepared(files)).reasons.join('\n')).toContain('compose.yaml is ignored');
});

it('says which services are public and what needs trust', async () => {
  const { reach, access } = await prepared({
    'compose.yaml':
      'services:\n  web: {build: .}\n  api: {image: x, expose: [81]}\n  t: {image: traefik, volumes: ["/var/run/docker.sock:/s", "/etc:/e"]}\n',
    Dockerfile: 'FROM x\nEXPOSE 3000',
  });
  expect(reach?.services.map(({ service, port, isPublic }) => [service, port, isPublic])).toEqual([
    ['t', 80, true],
    ['web', 3000, false],
    ['api', 81, false],
  ]);
  expect(reach?.question).toContain('Which service should be public?');
  expect(access).toEqual([
    {
      service: 't',
      field: 'volumes',
      file: 'compose.yaml',
      line: 4,
      reason: '/var/run/docker.sock is the Docker socket, which gives full control of the machine',
    },
    expect.objectContaining({
      reason:
        '/etc is outside the source; it can read this path of the machine, and change it unless the mount is read-only',
    }),
  ]);
});

it('says nothing about the services of a file that is not deployed', async () => {
  const files = { 'package.json': '{"scripts": {"start": "node ."}}', 'compose.yaml': 'services: {web: {image: x}}' };
  expect(await prepared(files)).toMatchObject({ deploys: 'app', reach: null, access: [] });
});

it('describes the services of a file that is not deployed on request', async () => {
  const files = {
    'package.json': '{"scripts": {"start": "node ."}}',
    'compose.yaml': 'services: {web: {image: "x:${TAG:?}", ports: [80]}, db: {image: postgres, privileged: true}}',
  };
  expect(await prepared(files)).toMatchObject({ deploys: 'app', required: [], access: [] });
  const found = await prepared(files, { deploys: 'compose' });
  expect(found).toMatchObject({ deploys: 'compose', required: ['TAG'], access: [{ service: 'db' }] });
  expect(reached(found)).toEqual(['web']);
  expect(found.reasons.join('\n')).not.toContain('is ignored');
});

it('names required variables, and says which services are public nevertheless', async () => {
  const found = await prepared({
    'compose.yaml':
      'services:\n  web: {image: "x:${TAG:?}", expose: [80], environment: {A: "${KEY:?set it}${TAG:?}"}}\n  db: {image: postgres}\n',
  });
  expect(found.required).toEqual(['TAG', 'KEY']);
  expect(found.variables).toEqual([
    { key: 'TAG', example: null },
    { key: 'KEY', example: null },
  ]);
  expect(reached(found)).toEqual(['web']);
  expect(found.reasons.join('\n')).toContain('KEY');
});

it('does not call variables unset that are generated', async () => {
  const compose =
    'services:\n  web: {image: x, environment: {P: "${SERVICE_PASSWORD_WEB:?}", U: "${SERVICE_USER_WEB}"}}\n';
  const found = await prepared({ 'compose.yaml': compose });
  expect([found.required, reached(found)]).toEqual([[], ['web']]);
  expect(found.reasons.join('\n')).not.toContain('SERVICE_');
});

it('fills a compose file from the blueprint beside it', async () => {
  const { reach, required, access } = await prepared({
    'docker-compose.yml': `services:
  search:
    image: getmeili/meilisearch
    environment: {MASTER_KEY: "\${KEY:?}"}
    volumes: ["../files/config.toml:/config.toml"]
  other: {image: x/worker}
`,
    'template.toml': `[variables]
main_domain = "\${domain}"
[config]
env = ["KEY=\${password:32}"]
[[config.domains]]
serviceName = "search"
port = 7700
host = "\${main_domain}"
[[config.mounts]]
filePath = "/config.toml"
content = "a = 1"
`,
  });
  // A database is public if the blueprint says so.
  expect(reach?.services).toEqual([
    { service: 'search', port: 7700, reason: 'it publishes port 7700', isPublic: true },
  ]);
  expect([reach?.question, required, access]).toEqual([null, [], []]);
});
