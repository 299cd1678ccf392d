import { expect, it } from 'vitest';
import { detect } from '../../../../detect/index.ts';
import { memoryTree } from '../../../../detect/memory-tree.ts';
import { withComposeFile } from './summary.ts';

const prepared = async (files: Record<string, string>) => {
  const tree = memoryTree(files);
  return withComposeFile(await detect(tree), tree);
};

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
