import { describe, expect, it } from 'vitest';
import { projectOf, serviceFile, serviceWith } from '../compose-rig.ts';
import { projectFields } from '../verdicts/project-fields.ts';
import { serviceFields } from '../verdicts/service-fields.ts';
import { declared, serviceEscapeExamples } from './escapes-rig.ts';
import { escapesOf, hostPorts, projectEscapes } from './index.ts';

const others: Record<string, string> = {
  volumes: 'volumes: {v: }',
  configs: 'configs: {c: {content: x}}',
  secrets: 'secrets: {s: {environment: S}}',
};
const projectWith = (line: string) => {
  const rest = Object.entries(others).flatMap(([key, text]) => (line.startsWith(key) ? [] : [text]));
  return projectOf(
    `services: {a: {image: x, volumes: ["v:/v"], configs: [c], secrets: [s]}}\n${line}\n${rest.join('\n')}\n`,
    { environment: { S: 'x' } },
  );
};

describe('access to the machine', () => {
  it.each(serviceEscapeExamples)('%s', async (lines, field) => {
    const found = escapesOf(await serviceWith(lines));
    expect(found).toEqual([{ service: 'a', field, file: 'compose.yaml', line: 4, reason: expect.any(String) }]);
  });

  it.each(declared)('%s', async (line, field) => {
    const found = projectEscapes(await projectWith(line));
    expect(found).toEqual([{ service: null, field, file: 'compose.yaml', line: 2, reason: expect.any(String) }]);
  });

  it('is tested for every field that requires trust', () => {
    const trusted = [serviceFields, projectFields].flatMap((table) =>
      Object.entries(table).flatMap(([field, verdict]) =>
        verdict.is === 'carried out' && verdict.how?.includes('trusted') ? [field] : [],
      ),
    );
    const tried = new Set([...serviceEscapeExamples, ...declared].map(([, field]) => field));
    expect(trusted.filter((field) => !tried.has(field))).toEqual([]);
  });

  it.each([
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/var/run',
    '/run/',
    '/var',
    '/',
    '//',
    '/var/run/../run/docker.sock',
  ])('includes the engine socket through %s', async (path) => {
    const [found] = escapesOf(await serviceWith(`volumes: ["${path}:/x"]`));
    expect(found!.reason).toContain('the Docker socket');
  });
});

describe('isolated settings', () => {
  it.each([
    'network_mode: none',
    'network_mode: "service:b"',
    'pid: "service:b"',
    'ipc: shareable',
    'cgroup: private',
    'runtime: runc',
    'privileged: false',
    'cap_add: [NET_BIND_SERVICE, CAP_CHOWN]',
    'cap_drop: [ALL]',
    'security_opt: ["no-new-privileges:true"]',
    'sysctls: {net.core.somaxconn: 1024, net.ipv4.tcp_keepalive_time: 60}',
    'volumes: ["./data:/data", ".:/src", "./a/../b:/b", /anonymous]',
    'volumes: ["./a:/a:rprivate", {type: tmpfs, target: /t}]',
    'volumes_from: [b]',
    'links: [b]',
    'ports: ["80:80"]',
    'extra_hosts: ["host.docker.internal:host-gateway"]',
    'build: {context: ./app, dockerfile: ../Dockerfile, network: none, additional_contexts: {x: ./y, i: "docker-image://alpine"}}',
  ])('%s', async (lines) => {
    const project = await projectOf(`${serviceFile(lines)}  b: {image: x}\n`);
    expect(projectEscapes(project)).toEqual([]);
  });

  it.each([
    'volumes: {v: {driver: local}}',
    'volumes: {v: {driver_opts: {type: tmpfs, device: tmpfs, o: "size=100m,uid=1000,noexec"}}}',
    'volumes: {v: {external: false}}',
    'networks: {default: {driver: bridge, internal: true}}',
  ])('%s', async (line) => expect(projectEscapes(await projectWith(line))).toEqual([]));
});

describe('host ports', () => {
  it('are listed separately', async () => {
    const project = await projectOf(
      serviceFile('ports: ["80", "8080:80", "127.0.0.1:53:53/udp", "0:9", "3000-3001:4000"]'),
    );
    expect(
      hostPorts(project).map(({ service, published, hostIp, protocol }) => [service, published, hostIp, protocol]),
    ).toEqual([
      ['a', { from: 8080, to: 8080 }, null, 'tcp'],
      ['a', { from: 53, to: 53 }, '127.0.0.1', 'udp'],
      ['a', { from: 3000, to: 3001 }, null, 'tcp'],
    ]);
  });
});

it('needs no trust for the time zone of the machine, read-only', async () => {
  const escapes = async (text: string) => projectEscapes(await projectOf(serviceFile(`volumes: ["${text}"]`))).length;
  expect(await escapes('/etc/localtime:/etc/localtime:ro')).toBe(0);
  expect(await escapes('/etc/timezone:/etc/timezone:ro')).toBe(0);
  expect(await escapes('/etc/localtime:/etc/localtime')).toBe(1);
  expect(await escapes('/etc/passwd:/etc/localtime:ro')).toBe(1);
});
