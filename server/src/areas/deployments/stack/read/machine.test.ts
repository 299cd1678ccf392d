import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { serviceFile } from '../../../../compose/compose-rig.ts';
import { folderWith, readTestStack, testStackError } from './stack-rig.ts';

const withPorts = (ports: string) => folderWith({ 'compose.yaml': serviceFile(`ports: [${ports}]`) });
const portsOf = async (ports: string) => {
  const { stack, warnings } = (await readTestStack(withPorts(ports)))!;
  const shown = stack.project.services[0]!.ports.map(({ published, target }) => `${published?.from ?? ''}:${target}`);
  return { ports: shown, warnings: warnings.map(({ message }) => message) };
};

describe('ports of the edge', () => {
  it('are routed instead of published', async () => {
    expect(await portsOf('"9000:9000", "80:8080"')).toEqual({
      ports: [':8080', '9000:9000'],
      warnings: [
        "services.a.ports: port 80 of the machine belongs to Mooring's edge, which sends requests for the address of a " +
          'to its port 8080',
      ],
    });
  });

  it('leave out TLS, which ends at the edge', async () => {
    const { ports, warnings } = await portsOf('"80:80", "443:443", "443:443/udp"');
    expect(ports).toEqual([':80', '443:443']);
    expect(warnings[1]).toContain('where TLS ends; port 443 is not published, and a must not redirect HTTP to HTTPS');
    expect((await portsOf('"443:8443"')).ports).toEqual([':8443']);
  });

  it('are not published for other protocols', async () => {
    const { ports, warnings } = await portsOf('"443:22", "[::1]:80:25"');
    expect(ports.every((port) => port.startsWith(':'))).toBe(true);
    expect(warnings).toEqual([
      expect.stringContaining('which speaks HTTP only; port 22 of a is not published. Publish it at another port'),
      expect.stringContaining('port 25 of a is not published'),
    ]);
  });

  it('are found in ranges', async () => expect((await portsOf('"80-81:80-81"')).ports).toEqual([':80', '81:81']));

  it('are those that it has', async () => {
    const { stack } = (await readTestStack(withPorts('"80:80"'), { edgePorts: { http: [4680], tls: [0] } }))!;
    expect(stack.project.services[0]!.ports[0]!.published).toEqual({ from: 80, to: 80 });
    const any = (await readTestStack(withPorts('"80"'), { edgePorts: { http: [0], tls: [0] } }))!;
    expect(any.warnings).toEqual([]);
  });

  it('can be asked for by two services', async () => {
    const file = 'services: {a: {image: x, ports: ["80:80"]}, b: {image: x, ports: ["80:80"]}}';
    const { stack } = (await readTestStack(folderWith({ 'compose.yaml': file })))!;
    expect(stack.project.services.map(({ ports }) => ports[0]!.published)).toEqual([null, null]);
  });
});

describe('paths of the machine', () => {
  const boundTo = async (file: Record<string, string>, given = {}) => {
    const { stack } = (await readTestStack(folderWith(file), { trusted: true, ...given }))!;
    return stack.project.services[0]!.mounts.map((mount) => (mount.type === 'bind' ? mount.source.path : null));
  };

  it('count from the home folder of the machine in a trusted project', async () => {
    const file = serviceFile('volumes: ["~/a:/a", "../b:/b", "../../c:/c", "~:/d", "/e:/e", "./f:/f"]');
    const home = '/home/mooring';
    expect(await boundTo({ 'compose.yaml': file })).toEqual([
      `${home}/a`,
      `${home}/shop/b`,
      `${home}/c`,
      home,
      '/e',
      'f',
    ]);
    const nested = { 'apps/compose.yaml': serviceFile('volumes: ["../../b:/b"]') };
    expect(await boundTo(nested, { rootDirectory: 'apps' })).toEqual([`${home}/shop/b`]);
  });

  it('need trust', async () => {
    const folder = folderWith({ 'compose.yaml': serviceFile('volumes: ["~/a:/a", "../b:/b"]') });
    expect((await testStackError(folder)).code).toBe('not_trusted');
    const other = folderWith({ 'compose.yaml': serviceFile('volumes: ["~root/a:/a"]') });
    expect((await testStackError(other, { trusted: true })).message).toContain('must be absolute');
  });
});

describe('git repository as a build context', () => {
  const built = (context: string) => folderWith({ 'compose.yaml': `services: {a: {build: "${context}"}}` });
  const fetching = (fetched: unknown[], text = 'FROM x') => ({
    async fetchContext(folder: string, repository: unknown) {
      fetched.push(repository);
      mkdirSync(join(folder, 'docker'), { recursive: true });
      writeFileSync(join(folder, 'docker/Dockerfile'), text);
    },
  });

  it('is fetched into the source, once for all services', async () => {
    const context = 'https://git.example.com/team/app.git#v1:docker';
    const folder = folderWith({ 'compose.yaml': `services: {a: {build: "${context}"}, b: {build: "${context}"}}` });
    const fetched: unknown[] = [];
    const { stack } = (await readTestStack(folder, fetching(fetched)))!;
    expect(fetched).toEqual([{ url: 'https://git.example.com/team/app.git', ref: 'v1' }]);
    const { path, isInside } = stack.project.services[0]!.build!.context;
    expect([isInside, path]).toEqual([true, expect.stringMatching(/^\.mooring-repositories\/[0-9a-f]{16}\/docker$/)]);
    expect(existsSync(join(folder, path, 'Dockerfile'))).toBe(true);
  });

  it('is part of the digests', async () => {
    const folder = built('https://git.example.com/app.git');
    const digest = async (text: string) => (await readTestStack(folder, fetching([], text)))!.stack.digests['a'];
    expect(await digest('FROM x')).toBe(await digest('FROM x'));
    expect(await digest('FROM x')).not.toBe(await digest('FROM y'));
  });

  it('is no part of a service that is built from the whole source', async () => {
    const compose = 'services: {a: {build: "https://git.example.com/app.git"}, b: {build: .}}';
    const folder = folderWith({ 'compose.yaml': compose, Dockerfile: 'FROM scratch' });
    const digests = async (text: string) => (await readTestStack(folder, fetching([], text)))!.stack.digests;
    const [before, after] = [await digests('FROM x'), await digests('FROM y')];
    expect([before['a'] === after['a'], before['b'] === after['b']]).toEqual([false, true]);
  });

  it('does not follow a link of the source', async () => {
    const folder = built('https://git.example.com/app.git');
    const outside = newFolder('outside');
    symlinkSync(outside, join(folder, '.mooring-repositories'));
    await readTestStack(folder, fetching([]));
    expect(existsSync(join(outside, 'docker'))).toBe(false);
  });

  it.each([
    ['github.com/team/app', 'https://github.com/team/app.git', null],
    ['git@git.example.com:team/app.git#main', 'git@git.example.com:team/app.git', 'main'],
    ['ssh://git@git.example.com:22/app#refs/heads/x', 'ssh://git@git.example.com:22/app', 'refs/heads/x'],
  ])('can be %s', async (context, url, ref) => {
    const fetched: unknown[] = [];
    await readTestStack(built(context), fetching(fetched));
    expect(fetched).toEqual([{ url, ref }]);
  });

  it.each([
    'https://user:secret@git.example.com/app.git',
    'https://example.com/archive.tar.gz',
    'file:///etc/app.git',
    'git://example.com/app.git',
    'https://git.example.com/-x/app.git',
    'https://git.example.com/app.git#--upload-pack=x',
    'https://git.example.com/app.git#a..b',
    'https://git.example.com/app.git#main:../..',
  ])('cannot be %s', async (context) => {
    expect((await testStackError(built(context), { trusted: true })).code).toBe('compose_invalid');
  });
});

it('lists all variables that must be set, with the commands', async () => {
  const error = await testStackError(
    folderWith({ 'compose.yaml': serviceFile('command: "${A:?} ${B:?}"\nuser: "${A:?}"') }),
  );
  expect(error.message.split('\n')).toHaveLength(2);
  expect(error.hint).toBe(
    'Set each of these variables and deploy again: mooring env set shop A; mooring env set shop B.',
  );
});
