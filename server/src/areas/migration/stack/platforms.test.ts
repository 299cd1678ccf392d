import { describe, expect, it } from 'vitest';
import { testContainer } from '../facts-rig.ts';
import { foundServices } from './found-services.ts';
import { ownLabels } from './own-labels.ts';
import { stackIdentityOf } from './platforms.ts';
import { proxyRoutes } from './proxy-routes.ts';

const withLabels = (labels: Record<string, string>, name = 'box') =>
  testContainer(name, { config: { Labels: labels } });
const compose = { 'com.docker.compose.project': 'p', 'com.docker.compose.service': 's' };

describe('origin of a container', () => {
  it.each([
    ['hand', {}, null, 'box'],
    ['compose', compose, 'p', 's'],
    [
      'coolify',
      { 'coolify.managed': 'true', 'coolify.projectName': 'site', 'coolify.name': 'web-x1' },
      'site',
      'web-x1',
    ],
    ['coolify', { 'coolify.managed': 'true', ...compose }, 'p', 's'],
    [
      'dokploy',
      { ...compose, 'com.docker.compose.project.config_files': '/etc/dokploy/compose/a/docker-compose.yml' },
      'p',
      's',
    ],
    ['portainer', { ...compose, 'com.docker.compose.project.working_dir': '/data/compose/3' }, 'p', 's'],
    ['portainer', { 'io.portainer.accesscontrol.public': '' }, null, 'box'],
    ['dokku', { 'com.dokku.app-name': 'blog', 'com.dokku.process-type': 'web' }, 'blog', 'web'],
    [
      'caprover',
      { 'com.docker.swarm.service.name': 'srv-captain--blog', 'com.docker.swarm.task.id': 'x' },
      null,
      'srv-captain--blog',
    ],
    [
      'swarm',
      {
        'com.docker.stack.namespace': 'st',
        'com.docker.swarm.service.name': 'st_web',
        'com.docker.swarm.task.id': 'x',
      },
      'st',
      'web',
    ],
  ] as const)('is detected by labels: %s', (source, labels, project, service) => {
    expect(stackIdentityOf(withLabels(labels))).toMatchObject({ source, project, service });
  });

  it('groups replicas of a service, and keeps others apart', () => {
    const number = (n: string) => ({ ...compose, 'com.docker.compose.container-number': n });
    const once = { ...compose, 'com.docker.compose.oneoff': 'True' };
    const found = foundServices([
      withLabels(number('2'), 'p-s-2'),
      withLabels(number('1'), 'p-s-1'),
      withLabels(once, 'p-s-run-1'),
      testContainer('a'),
      withLabels({ ...compose, 'mooring.instance': 'x' }, 'ours'),
      withLabels({ 'mooring.instance': 'x', 'mooring.project': 'prj_1', 'mooring.scratch': 'rst_1' }, 'scratch'),
      withLabels({ 'mooring.copy': 'x' }, 'copy'),
    ]);
    expect(found.map(({ name, containers, isOurs }) => [name, containers.length, isOurs])).toEqual([
      ['p/p-s-run-1', 1, false],
      ['p/s', 2, false],
      ['a', 1, false],
      ['ours', 1, true],
    ]);
    expect(found[1]!.containers[0].Name).toBe('/p-s-1');
  });

  it('omits labels of the platform', () => {
    const noise = {
      ...compose,
      'coolify.name': 'x',
      'traefik.enable': 'true',
      caddy: 'x',
      'caddy_1.tls': 'x',
      maintainer: 'x',
    };
    expect(ownLabels({ ...noise, mine: '1', caddyshack: '2', image: '3' }, { image: '3' })).toEqual({
      mine: '1',
      caddyshack: '2',
    });
  });
});

describe('proxy routes', () => {
  const routes = (labels: Record<string, string>, env: string[] = []) =>
    proxyRoutes(testContainer('x', { config: { Labels: labels, Env: env } })).map(
      ({ proxy, host, path, port }) => `${proxy} ${host} ${path} ${port}`,
    );

  it('are read from labels and variables', () => {
    expect(
      routes({
        'traefik.http.routers.web.rule': 'Host(`a.example`, `b.example`) && PathPrefix(`/api`)',
        'traefik.http.services.web.loadbalancer.server.port': '8080',
      }),
    ).toEqual(['traefik a.example /api 8080', 'traefik b.example /api 8080']);
    expect(routes({ 'traefik.frontend.rule': 'Host:a.example;PathPrefix:/x', 'traefik.port': '80' })).toEqual([
      'traefik a.example /x 80',
    ]);
    expect(routes({}, ['VIRTUAL_HOST=a.example, b.example', 'VIRTUAL_PORT=99'])).toEqual([
      'nginx-proxy a.example null 99',
      'nginx-proxy b.example null 99',
    ]);
    expect(routes({ caddy: 'https://a.example/x b.example', 'caddy.reverse_proxy': '{{upstreams 3000}}' })).toEqual([
      'caddy a.example /x 3000',
      'caddy b.example null 3000',
    ]);
  });

  it('are parsed fast for hostile input', () => {
    const began = performance.now();
    for (const text of ['Host(', '`', ',', 'Host:', 'upstreams ', '(', '\0', ' '])
      routes({ 'traefik.http.routers.x.rule': text.repeat(500_000), caddy: text.repeat(500_000) }, [
        `VIRTUAL_HOST=${text.repeat(100_000)}`,
      ]);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
