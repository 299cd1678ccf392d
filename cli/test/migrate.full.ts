import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Docker, startDocker } from '../../server/test/rig/docker.ts';
import { busybox, makeImage } from '../../server/test/rig/docker-images.ts';
import { has } from '../../server/test/rig/parts.ts';
import { Person } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

describe.runIf(has('docker'))('migrate', () => {
  let docker: Docker;
  let service: Service;
  const ada = new Person();
  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, busybox);
    service = await startService({ DOCKER_HOST: docker.address, MOORING_RUNTIME: 'process' });
    await ada.logIn(service.url);
    await ada.run(['server', 'add', 'here', '--this-machine']);
    await create('db', { HostConfig: { Binds: ['data:/data'], PortBindings: { '80/tcp': [{ HostPort: '18080' }] } } });
    await create('shop-web-1', {
      Labels: { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 'web' },
      HostConfig: { Binds: ['/etc:/host'] },
      Env: ['TOKEN=a-very-secret-thing'],
    });
    await create('odd', {
      Labels: { 'com.docker.compose.project': '\u001b[31mred\u0007', 'com.docker.compose.service': 'x' },
    });
  });
  afterAll(async () => {
    ada.leave();
    await stopWithApps(service);
    await docker.close();
  });
  const create = (name: string, body: object) =>
    docker.client.json({
      method: 'POST',
      path: `/containers/create?name=${name}`,
      body: { Image: busybox.name, Cmd: ['sleep', '600'], ...body },
    });

  test('scan shows groups, services and unsupported settings', async () => {
    const { code, stdout, stderr } = await ada.run(['migrate', 'scan', 'here']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Docker \S+ on .*: 3 services, 3 can be adopted\.\n/);
    expect(stdout).toMatch(/\nshop \(compose\)\nSERVICE .*ADOPTABLE\nshop\/web .* by the instance owner\n/);
    expect(stdout).toMatch(/ {2}shop\/web needs --trusted: volumes: \/etc is a path of the machine\n/);
    expect(stdout).toMatch(/\nContainers run by hand\n.*\ndb .*18080->80\/tcp +data:\/data +yes\n/);
    expect(stdout).not.toContain('a-very-secret-thing');
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toContain('mooring migrate adopt here <project> <group or service...>');
    const stack = await ada.json<{ adoptable: number }>(['migrate', 'scan', 'here']);
    expect(stack.adoptable).toBe(3);
  });

  test('adopt creates a project from them', async () => {
    expect(await ada.run(['migrate', 'adopt', 'here', 'shop'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('<group or service...> is missing') as string,
    });
    expect(await ada.run(['migrate', 'adopt', 'here', 'shop', 'nothing'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^mooring: there is no service or group nothing on this server; there are /),
    });
    const refused = await ada.run(['migrate', 'adopt', 'here', 'shop', 'web', 'db']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('with --trusted') as string });
    const adopted = await ada.run(['migrate', 'adopt', 'here', 'shop', 'web', 'db', '--trusted']);
    expect(adopted.stdout).toMatch(/^shop is created as prj_\w+ with shop\/web, db\.\n$/);
    expect(adopted.stderr).toContain('it is not running (created)');
    const again = await ada.run(['migrate', 'adopt', 'here', 'other', 'db']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already adopted') as string });
    const projects = await ada.json<{ name: string; trusted: boolean }[]>(['projects']);
    expect(projects).toMatchObject([{ name: 'shop', trusted: true }]);
  });
});
