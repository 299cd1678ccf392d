import { describe, expect, it } from 'vitest';
import { appOptions } from '../app-options.ts';
import type { ImageRelease, ServiceOptions } from '../runtime.ts';
import { serviceSpec } from './service-spec.ts';
import { refuseUnsupported } from './unsupported.ts';

const release = (service: Partial<ServiceOptions> = {}): ImageRelease => ({
  kind: 'image',
  image: 'web:1',
  imageId: 'sha256:1',
  env: { A: 'b' },
  secretKeys: [],
  listensOn: 3000,
  memoryBytes: 1000,
  cpus: 0.5,
  owner: {
    instanceId: 'ins_1',
    organizationId: 'org_1',
    projectId: 'prj_1',
    deploymentId: 'dep_1',
    service: 'app',
    fence: 2,
  },
  service: { ...appOptions('prj_1/production'), ...service },
});

const place = {
  name: 'mooring-app-1',
  image: { Id: 'sha256:1', Config: null },
  reference: 'registry.test/web@sha256:2',
  mounts: { Mounts: [], Binds: ['/data:/data:ro,rshared'] },
  secrets: [],
  networks: [],
  constraints: [],
  engineLogs: { maxSize: '1m', maxFiles: 2 },
  api: 46,
};

describe('the service of a release', () => {
  it('is confined like its container', () => {
    const { TaskTemplate: task, Labels, EndpointSpec } = serviceSpec(release(), place);
    expect(Labels).toMatchObject({ 'mooring.deployment': 'dep_1', 'mooring.reached': 'mooring-app-1:3000' });
    expect(EndpointSpec).toEqual({ Mode: 'dnsrr' });
    expect(task).toMatchObject({
      ContainerSpec: {
        Image: 'registry.test/web@sha256:2',
        Env: ['A=b'],
        ReadOnly: true,
        CapabilityDrop: ['ALL'],
        Privileges: { NoNewPrivileges: true },
      },
      Resources: { Limits: { MemoryBytes: 1000, NanoCPUs: 5e8, Pids: 2048 } },
      RestartPolicy: { Condition: 'any' },
    });
    const memory = { Type: 'tmpfs', TmpfsOptions: { Mode: 0o1777, Options: [['exec']] } };
    expect(task.ContainerSpec['Mounts']).toMatchObject([
      { Type: 'bind', Source: '/data', Target: '/data', ReadOnly: true, BindOptions: { Propagation: 'rshared' } },
      { Target: '/tmp', ...memory },
      { Target: '/var/tmp', ...memory },
      { Target: '/run', ...memory },
    ]);
  });

  it('keeps the settings of a compose file', () => {
    const extraHosts = [{ host: 'db', address: 'fd00::1' }];
    const restart = { policy: 'on-failure', maxAttempts: 3 } as const;
    const ports = [{ target: 53, protocol: 'udp', hostIp: null, published: { from: 5353, to: 5353 } }] as const;
    const spec = serviceSpec(
      release({ extraHosts, restart, ports: [...ports], stopGraceMs: 2500, shmBytes: 64 }),
      place,
    );
    expect(spec.TaskTemplate).toMatchObject({
      ContainerSpec: { Hosts: ['fd00::1 db'], StopGracePeriod: 3e9 },
      RestartPolicy: { Condition: 'on-failure', MaxAttempts: 3 },
    });
    expect(spec['EndpointSpec']).toMatchObject({
      Ports: [{ Protocol: 'udp', TargetPort: 53, PublishedPort: 5353, PublishMode: 'host' }],
    });
  });

  it('is refused with settings that a Swarm does not have', () => {
    const networks = [{ ...appOptions('').networks[0]!, address: '10.0.0.5' }];
    expect(() => refuseUnsupported(release({ networks }))).toThrow('does not have: ipv4_address');
    expect(() => refuseUnsupported(release({ networkMode: { kind: 'host' } }))).toThrow('network_mode');
    expect(() => refuseUnsupported(release())).not.toThrow();
  });
});
