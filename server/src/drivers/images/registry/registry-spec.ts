import { createHash } from 'node:crypto';
import { instanceLabel, registryRole, roleLabel, specLabel } from '../../runtime/docker/labels.ts';
import { shortHash } from '../../runtime/docker/readable-names.ts';
import type { ServiceSpec } from '../../runtime/swarm/types.ts';

/** The port that the registry listens on in its network. */
export const registryPort = 5000;

/** Name of the registry's service, network and volume; also its host name in the network. */
export const registryServiceName = (instanceId: string): string => `mooring-registry-${shortHash(instanceId)}`;

export const registryLabels = (instanceId: string): Record<string, string> => ({
  [instanceLabel]: instanceId,
  [roleLabel]: registryRole,
});

/** A Swarm config or secret. */
export interface SwarmFileRef {
  id: string;
  name: string;
}

export interface RegistryServiceInput {
  instanceId: string;
  image: string;
  network: string;
  node: string;
  settings: SwarmFileRef;
  passwords: SwarmFileRef;
}

const settingsFile = '/etc/mooring-registry.yml';
const passwordsFile = 'mooring-registry-passwords';
const nanoseconds = 1_000_000;
const ownedByRoot = { UID: '0', GID: '0', Mode: 0o400 };

/** Returns the registry's settings file: JSON, which is YAML. */
export const registrySettings = (isReadOnly: boolean): string =>
  JSON.stringify({
    version: '0.1',
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: {
      filesystem: { rootdirectory: '/var/lib/registry' },
      delete: { enabled: true },
      ...(isReadOnly && { maintenance: { readonly: { enabled: true } } }),
    },
    http: { addr: `:${registryPort}`, draintimeout: '10s' },
    auth: { htpasswd: { realm: 'mooring', path: `/run/secrets/${passwordsFile}` } },
  });

/** Returns the service: one task on one node, which has the volume. */
export function registrySpec(place: RegistryServiceInput): ServiceSpec {
  const { instanceId, network, passwords } = place;
  const spec = base(place, registryServiceName(instanceId), {
    Args: ['serve', settingsFile],
    Secrets: [{ File: { Name: passwordsFile, ...ownedByRoot }, SecretID: passwords.id, SecretName: passwords.name }],
  });
  const TaskTemplate = {
    ...spec.TaskTemplate,
    RestartPolicy: { Condition: 'any', Delay: 1000 * nanoseconds },
    Networks: [{ Target: network }],
  };
  // Both may use the volume at once: a change interrupts no pull.
  const UpdateConfig = { Parallelism: 1, Order: 'start-first', FailureAction: 'continue' };
  const whole = { ...spec, TaskTemplate, UpdateConfig, EndpointSpec: { Mode: 'dnsrr' } };
  const digest = createHash('sha256').update(JSON.stringify(whole)).digest('hex').slice(0, 32);
  return { ...whole, Labels: { ...whole.Labels, [specLabel]: digest } };
}

/** Returns a service without tasks. Its task deletes layers that no image uses, and ends. */
export const collectorSpec = (place: RegistryServiceInput): ServiceSpec => ({
  ...base(place, `${registryServiceName(place.instanceId)}-collect`, { Args: ['garbage-collect', settingsFile] }),
  Mode: { Replicated: { Replicas: 0 } },
});

function base(
  { instanceId, image, node, settings }: RegistryServiceInput,
  name: string,
  container: object,
): ServiceSpec {
  const labels = registryLabels(instanceId);
  return {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Labels: labels,
        // Version 3 of the image sends traces otherwise.
        Env: ['OTEL_TRACES_EXPORTER=none'],
        User: '0:0',
        ReadOnly: true,
        Init: true,
        CapabilityDrop: ['ALL'],
        StopGracePeriod: 15_000 * nanoseconds,
        Mounts: [
          {
            Type: 'volume',
            Source: registryServiceName(instanceId),
            Target: '/var/lib/registry',
            VolumeOptions: { Labels: labels },
          },
        ],
        Configs: [{ File: { Name: settingsFile, ...ownedByRoot }, ConfigID: settings.id, ConfigName: settings.name }],
        ...container,
      },
      Resources: { Limits: { Pids: 1024 } },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: [`node.id==${node}`] },
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '3' } },
    },
    Mode: { Replicated: { Replicas: 1 } },
  };
}
