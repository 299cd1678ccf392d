import { describe, expect, it } from 'vitest';
import { projectOf } from '../../../../compose/compose-rig.ts';
import { readServiceEntries, type ServiceEntry } from '../../../../compose/index.ts';
import { endpointsOf, listeningPortOf } from './endpoints.ts';

const where = { label: 'shop', baseDomain: 'example.com' };
type Wanted = Parameters<typeof endpointsOf>[1];

/** `service@host:port`, with `*` marking the primary one. */
const shown = (found: ReturnType<typeof endpointsOf>) =>
  found.map(({ service, host, port, isPrimary }) => `${isPrimary ? '*' : ''}${service}@${host}:${port}`);
const of = async (services: string, wanted: Wanted = []) =>
  shown(endpointsOf((await projectOf(`services:\n${services}`)).services, wanted, where));
const ofRequest = (entries: ServiceEntry[], wanted: Wanted = []) =>
  shown(endpointsOf(readServiceEntries('shop', entries).services, wanted, where));

describe('endpoints', () => {
  it("are the services with ports, with the main one at the project's domain", async () => {
    expect(
      await of(`
  api: {image: a, ports: ["3000"]}
  web: {image: a, ports: ["8080:80"]}
  db: {image: "postgres:17", ports: ["5432:5432"]}
  worker: {image: a, expose: [80]}
  dns: {image: a, ports: ["53:53/udp"]}
`),
    ).toEqual(['api@api.shop.example.com:3000', '*web@shop.example.com:80']);
  });

  it.each([
    ['the only one', '  odd: {image: a, ports: ["12345"]}', 'odd'],
    ['the one with a known name', '  a: {image: a, ports: ["80"]}\n  Gateway: {image: a, ports: ["9999"]}', 'Gateway'],
    ['web before app', '  app: {image: a, ports: ["80"]}\n  web: {image: a, ports: ["80"]}', 'web'],
    ['the first with a port of the web', '  a: {image: a, ports: ["12345"]}\n  b: {image: a, ports: ["3000"]}', 'b'],
    ['else the first', '  a: {image: a, ports: ["12345"]}\n  b: {image: a, ports: ["12346"]}', 'a'],
  ])('have a primary: %s', async (_what, services, expected) => {
    const found = await of(services);
    expect(found.filter((text) => text.startsWith('*'))).toEqual([expect.stringContaining(`*${expected}@shop.`)]);
  });

  it('are the requested ones', async () => {
    const services = `
  web: {image: a, ports: ["80"]}
  admin: {image: a}
  db: {image: postgres, ports: ["5432"]}
`;
    expect(await of(services, [{ service: 'admin', port: 9001 }])).toEqual(['*admin@shop.example.com:9001']);
    expect(await of(services, [{ service: 'admin', port: 9001 }, { service: 'web' }])).toEqual([
      '*admin@shop.example.com:9001',
      'web@web.shop.example.com:80',
    ]);
    expect(await of(services, [{ port: 8081 }])).toEqual(['*web@shop.example.com:8081']);
    expect(await of(services, [{ service: 'db', port: 5432 }])).toEqual(['*db@shop.example.com:5432']);
  });

  it.each([
    'postgres',
    'docker.io/library/postgres:17-alpine',
    'bitnami/postgresql:16',
    'registry.example.com:5000/mirror/mysql@sha256:0000',
    'mcr.microsoft.com/mssql/server:2022-latest',
    'redis/redis-stack-server',
    'rabbitmq:3-management',
    'ghcr.io/x/valkey',
    'mongodb/mongodb-community-server',
    'timescale/timescaledb-ha:pg16',
  ])('do not include %s by default', async (image) => {
    expect(await of(`  web: {image: "${image}", ports: ["8080"]}`)).toEqual([]);
  });

  it.each(['mongo-express', 'dpage/pgadmin4', 'rediscommander/redis-commander', 'phpmyadmin/phpmyadmin', 'adminer'])(
    'include %s',
    async (image) => expect(await of(`  x: {image: "${image}", ports: ["8080"]}`)).toHaveLength(1),
  );

  it('exclude a database that is built, and a shell', async () => {
    expect(await of('  a: {build: ., ports: ["5432:5432"]}\n  b: {build: ., ports: ["2222:22"]}')).toEqual([]);
  });

  it('prefer a port that speaks HTTP', async () => {
    expect(await of('  a: {image: a, ports: ["443:443", "22:22", "80:80"]}')).toEqual(['*a@shop.example.com:80']);
    expect(await of('  a: {image: a, ports: ["443:443"]}')).toEqual(['*a@shop.example.com:443']);
  });

  it('include apps, whose port may not be known yet', () => {
    expect(
      ofRequest([
        { name: 'web', rootDirectory: 'web', port: 4321 },
        { name: 'api', rootDirectory: 'api' },
      ]),
    ).toEqual(['*web@shop.example.com:4321', 'api@api.shop.example.com:null']);
  });

  it('have unique, valid names', async () => {
    const ports = 'ports: ["12345"]';
    const long = 'x'.repeat(63);
    expect(
      await of(`  web: {image: a, ${ports}}\n  my_app: {image: a, ${ports}}\n  My.App: {image: a, ${ports}}
  my-app-2: {image: a, ${ports}}\n  ${long}: {image: a, ${ports}}\n  a__: {image: a, ${ports}}`),
    ).toEqual([
      '*web@shop.example.com:12345',
      'my_app@my-app.shop.example.com:12345',
      'My.App@my-app-2.shop.example.com:12345',
      'my-app-2@my-app-2-2.shop.example.com:12345',
      `${long}@${long}.shop.example.com:12345`,
      'a__@a.shop.example.com:12345',
    ]);
  });
});

describe('port of a service', () => {
  const image = { port: null, ports: [7000, 7001] };
  it.each<[string, string, typeof image, number | null, number | null]>([
    ['at its endpoint', 'ports: ["80"]', image, 9000, 9000],
    ['at its first port', 'ports: ["53:53/udp", "8080:81", "82"]', image, null, 81],
    ['at what it exposes', 'expose: ["53/udp", "3000-3005"]', image, null, 3000],
    ['at what its image says', 'tty: true', image, null, 7000],
    ['nowhere', 'tty: true', { port: null, ports: [] }, null, null],
  ])('%s', async (_what, lines, on, endpoint, expected) => {
    const { services } = await projectOf(`services:\n  a: {image: x, ${lines}}`);
    expect(listeningPortOf(services[0]!, on, endpoint)).toBe(expected);
  });

  it('is the port of the app that Mooring built', () => {
    const [app] = readServiceEntries('shop', [{ name: 'a' }]).services;
    expect(listeningPortOf(app!, { port: 8080, ports: [] } as never, null)).toBe(8080);
  });
});
