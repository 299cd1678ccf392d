import { describe, expect, it } from 'vitest';
import { memoryTree } from '../../../../detect/memory-tree.ts';
import { parseCompose } from '../../../../compose/index.ts';
import { candidatesOf } from './candidates.ts';
import { endpointsOf } from './endpoints.ts';
import { publicServiceLines, publicServicesOf } from './public-services.ts';

const projectIn = async (services: string, files: Record<string, string> = {}) => {
  const tree = memoryTree({ 'compose.yaml': `services:\n${services}`, ...files });
  const project = await parseCompose(tree, { name: 'shop' });
  return { ...project, candidates: await candidatesOf(project, tree) };
};
/** `service:port`, `~` for the usual port of the image, `*` for services that the source says are public. */
const of = async (services: string, files?: Record<string, string>) =>
  (await projectIn(services, files)).candidates.map(
    ({ service, port, usual, isMeant }) =>
      `${isMeant ? '*' : ''}${service}:${port ?? (usual === null ? '?' : `~${usual}`)}`,
  );

describe('a service that says it is public', () => {
  it.each([
    ['Traefik', 'labels: ["traefik.http.services.x.loadbalancer.server.port=3000"]', 3000],
    ['Traefik without a port', 'labels: {"traefik.http.routers.x.rule": "Host(`a.b`)"}', '?'],
    ['Traefik 1', 'labels: {"traefik.frontend.rule": "Host:a.b", "traefik.port": "81"}', 81],
    ['caddy-docker-proxy', 'labels: {caddy: a.b, caddy.reverse_proxy: "{{upstreams 8080}}"}', 8080],
    ['nginx-proxy', 'environment: {VIRTUAL_HOST: a.b, VIRTUAL_PORT: "8065"}', 8065],
    ['nginx-proxy without a port', 'environment: [VIRTUAL_HOST=a.b]', '?'],
    ['a URL variable with a port', 'environment: [SERVICE_FQDN_X_2368]', 2368],
    ['a URL variable', 'environment: [SERVICE_URL_X]', '?'],
  ])('to %s', async (_to, lines, port) => {
    expect(await of(`  db: {image: postgres}\n  x: {image: a, ${lines}}\n  y: {image: b}`)).toEqual([
      `*x:${port}`,
      'y:?',
    ]);
  });

  it.each(['labels: {traefik.enable: "false", traefik.port: "80"}', 'labels: {traefik.enable: "true"}'])(
    'does not with %s',
    async (lines) => expect(await of(`  x: {image: a, ${lines}}`)).toEqual(['x:?']),
  );

  it('is public together with others that say so', async () => {
    const { services, candidates } = await projectIn(
      '  api: {image: a, environment: [VIRTUAL_PORT=1]}\n  web: {image: a, environment: [VIRTUAL_PORT=2]}\n  c: {image: a}',
    );
    const found = endpointsOf(services, [], { label: 'shop', baseDomain: 'x', candidates });
    expect(found.map(({ host, port }) => `${host}:${port}`)).toEqual(['shop.x:2', 'api.shop.x:1']);
  });
});

describe('the port', () => {
  const dockerfile = (text: string) => ({ Dockerfile: text });
  it.each<[string, string, Record<string, string>, string]>([
    ['of expose', 'image: a, expose: ["22", "3000"]', {}, '3000'],
    ['of its health check', 'image: a, healthcheck: {test: "curl -f http://localhost:8123/up"}', {}, '8123'],
    ['of its health check at port 80', 'image: a, healthcheck: {test: [CMD, curl, "http://127.0.0.1/"]}', {}, '80'],
    ['of PORT', 'image: a, environment: {PORT: 4000}', {}, '4000'],
    ['of its command', 'image: a, command: serve --port 4001', {}, '4001'],
    ['of its Dockerfile', 'build: .', dockerfile('FROM x AS a\nEXPOSE 1\nFROM y\nEXPOSE 22 5000/tcp'), '5000'],
    ['of a stage', 'build: {context: ., target: A}', dockerfile('FROM x AS a\nEXPOSE 81\nFROM y\nEXPOSE 82'), '81'],
    ['of a base stage', 'build: .', dockerfile('FROM x AS a\nEXPOSE 81\nFROM a'), '81'],
    ['of a variable', 'build: .', dockerfile('ARG P=82\nFROM y\nENV PORT=${P}\nEXPOSE ${PORT}'), '82'],
    ['of its base image', 'build: .', dockerfile('FROM node AS b\nFROM nginx:alpine\nCOPY --from=b /a /b'), '~80'],
    ['of an inline Dockerfile', 'build: {dockerfile_inline: "FROM x\\nEXPOSE 83"}', {}, '83'],
    ['of a well-known image', 'image: "docker.n8n.io/n8nio/n8n:2"', {}, '~5678'],
    ['of a well-known owner', 'image: vaultwarden/server', {}, '~80'],
    ['of the image, later', 'image: a', {}, '?'],
    ['of no missing Dockerfile', 'build: ./nowhere', {}, '?'],
  ])('is that %s', async (_where, lines, files, port) => {
    expect(await of(`  x: {${lines}}`, files)).toEqual([`x:${port}`]);
  });
});

describe('no candidate', () => {
  it.each([
    'image: postgres:17',
    'image: cloudflare/cloudflared',
    'image: php:8-fpm',
    'image: x/app:8.4-fpm-alpine',
    'image: a, network_mode: "service:vpn"',
    'image: a, network_mode: none',
  ])('is a service with %s', async (lines) => {
    expect(await of(`  x: {${lines}}\n  vpn: {image: qmcgaw/gluetun}`)).toEqual([]);
  });

  it.each(['worker', 'app-worker', 'discord_bot', 'db', 'migrate'])('is a service called %s', async (name) => {
    expect(await of(`  ${name}: {image: a}`)).toEqual([]);
  });

  it('is a worker beside an app, nor an exporter, even with a known port', async () => {
    const worker = '  worker: {image: a, expose: [3000]}';
    expect(await of(`${worker}\n  x: {image: b}\n  m: {image: prom/node-exporter, expose: [9100]}`)).toEqual(['x:?']);
    expect(await of(worker)).toEqual(['worker:3000']);
  });

  it('is a service that others wait for to complete', async () => {
    const services = '  x: {image: a}\n  y: {image: b, depends_on: {x: {condition: service_completed_successfully}}}';
    expect(await of(services)).toEqual(['y:?']);
  });
});

describe('the best candidate', () => {
  it.each([
    ['is a proxy', '  web: {image: a, expose: [80]}\n  edge: {image: nginx, depends_on: [web]}', 'edge'],
    ['has a typical name', '  one: {image: a}\n  app: {image: a}\n  two: {image: a}', 'app'],
    ['has a typical part of a name', '  shop-core: {image: a}\n  shop-frontend: {image: a}', 'shop-frontend'],
    ['is the one that uses others', '  a: {image: a}\n  b: {image: b, depends_on: [a]}', 'b'],
    ['is not behind a worker', '  a: {image: a}\n  b: {image: b}\n  worker: {image: a, depends_on: [a]}', 'a'],
    ['has a known port', '  a: {image: a}\n  b: {image: b, expose: [3000]}', 'b'],
    ['is called like the project', '  a: {image: a}\n  shop: {image: b}', 'shop'],
    ['does not support others', '  y-machine-learning: {image: a}\n  y-server: {image: b}', 'y-server'],
    ['is the first otherwise', '  a: {image: a}\n  b: {image: b}', 'a'],
  ])('%s', async (_what, services, expected) => {
    expect((await of(services))[0]).toMatch(new RegExp(`^${expected}:`));
  });
});

describe('endpoints of a stack without published ports', () => {
  const where = { label: 'shop', baseDomain: 'x' };
  const image = (...ports: number[]) => ({ port: null, ports });
  const found = async (
    services: string,
    images: Record<string, ReturnType<typeof image>> = {},
    wanted: object[] = [],
  ) => {
    const { services: all, candidates } = await projectIn(services);
    const known = new Map(Object.entries(images));
    return endpointsOf(all, wanted, { ...where, candidates, images: known }).map(
      ({ service, port }) => `${service}:${port}`,
    );
  };

  it('are the best candidate only', async () => {
    expect(await found('  web: {image: a, expose: [80]}\n  api: {image: b, expose: [80]}')).toEqual(['web:80']);
  });

  it('take the port of the image, and its usual one if the image has it', async () => {
    expect(await found('  a: {image: gitea/gitea}', { a: image(22, 3000) })).toEqual(['a:3000']);
    expect(await found('  a: {image: portainer/portainer}', { a: image(8000, 9000, 9443) })).toEqual(['a:9000']);
    expect(await found('  a: {image: nginx}', { a: image(8080) })).toEqual(['a:8080']);
    expect(await found('  a: {image: x}', { a: image(22, 7000) })).toEqual(['a:7000']);
  });

  it('are another candidate if the image of the best one exposes no port', async () => {
    const services = '  web: {image: a}\n  api: {image: b}';
    expect(await found(services, { web: image(), api: image(4000) })).toEqual(['api:4000']);
    expect(await found(services, { web: image(), api: image(5432) })).toEqual([]);
  });

  it('are the ones that the settings name', async () => {
    const services = '  web: {image: a, expose: [80]}\n  api: {image: b, expose: [81]}';
    expect(await found(services, {}, [{ service: 'api' }])).toEqual(['api:81']);
    expect(await found(services, {}, [{ port: 8000 }])).toEqual(['web:8000']);
  });

  it('do not exist in a stack that an older version has stored', async () => {
    const { services } = await projectIn('  web: {image: a, expose: [80]}');
    expect(endpointsOf(services, [], where)).toEqual([]);
  });
});

describe('the answer', () => {
  const reachIn = async (services: string) => {
    const project = await projectIn(services);
    return { ...publicServicesOf(project.services, project.candidates), ...project };
  };

  it('is a question if there are several candidates', async () => {
    const { services: _, question, warning } = await reachIn('  web: {image: a, expose: [80]}\n  api: {image: b}');
    expect([question, warning]).toEqual([expect.stringContaining('Which service should be public?'), null]);
  });

  it.each([
    '  web: {image: a, ports: ["80"]}\n  api: {image: b}',
    '  web: {image: a}',
    '  web: {image: a, environment: [VIRTUAL_HOST]}\n  b: {image: a}',
  ])('is clear for %s', async (services) => expect((await reachIn(services)).question).toBeNull());

  it('is a warning with the command if nothing can be public', async () => {
    expect((await reachIn('  db: {image: postgres}')).warning).toMatch(
      /^No service of this stack can be reached: .*mooring endpoint set <project> <service>:<port>\. If none should be: mooring endpoint set <project> none$/,
    );
  });

  it('is told in the log of a deployment', async () => {
    const { services, candidates } = await projectIn('  web: {image: a, expose: [80]}\n  api: {image: b}');
    expect(publicServiceLines(services, { slug: 'shop' }, candidates)).toEqual([
      'No service publishes a port; web is public on port 80: it exposes port 80',
      'api could be public instead. To choose: mooring endpoint set shop <service>:<port>',
    ]);
    const chosen = { slug: 'shop', publicEndpoints: [{ service: 'api' }] };
    expect(publicServiceLines(services, chosen, candidates)).toEqual([]);
    const none = { slug: 'shop', publicEndpoints: [{ none: true as const }] };
    expect(publicServiceLines(services, none, candidates)).toEqual(['No service is public, as set for the project']);
  });
});
