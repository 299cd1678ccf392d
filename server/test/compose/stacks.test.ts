import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endpointsOf } from '../../src/areas/deployments/stack/endpoints/endpoints.ts';
import { serviceRelease } from '../../src/areas/deployments/release/service-spec/service-spec.ts';
import { readTestStack } from '../../src/areas/deployments/stack/read/stack-rig.ts';
import { caseNames, caseOptions, filesFolder } from './cases.ts';

/** Mistakes that Docker Compose finds only at startup. */
const broken = ['extends', 'mounts'];

/** The addresses where people would expect their deployment. */
const reached: Record<string, string[]> = {
  analytics: ['site@shop:8000'],
  ghost: ['ghost@shop:2368'],
  gitea: ['server@shop:3000'],
  immich: ['server@shop:3001'],
  mastodon: ['web@shop:3000', 'streaming@streaming.shop:4000'],
  monorepo: ['web@shop:8080'],
  n8n: ['n8n@shop:5678'],
  nextcloud: ['web@shop:80'],
  rails: ['web@shop:3000'],
  secrets: [],
  traefik: ['traefik@shop:80'],
  wordpress: ['wordpress@shop:80'],
};

const image = {
  image: 'x',
  imageId: 'sha256:1',
  isOwn: false,
  bytes: 1,
  ports: [],
  volumes: [],
  hasHealthcheck: false,
  port: null,
};
const owner = { instanceId: 'i', organizationId: 'o', projectId: 'p', deploymentId: 'd', service: '', fence: 1 };

const stackOf = async (name: string) => {
  const { environment = {}, files, profiles, folder = '' } = caseOptions(name);
  const named = {
    ...environment,
    ...(files && { COMPOSE_FILE: files.join(':') }),
    ...(profiles && { COMPOSE_PROFILES: profiles.join(',') }),
  };
  const variables = Object.entries(named).map(([key, value]) => ({ key, value, secret: true, buildTime: false }));
  return (await readTestStack(join(filesFolder, name), {
    trusted: true,
    rootDirectory: folder,
    config: { variables },
  }))!.stack;
};

describe('real-world stacks', () => {
  it.each(caseNames().filter((name) => !broken.includes(name)))('%s can be started', async (name) => {
    const stack = await stackOf(name);
    const names = stack.project.services.map((service) => service.name);
    expect(Object.keys(stack.digests)).toEqual(names);
    for (const service of names) {
      const release = serviceRelease({
        stack,
        service,
        image,
        owner,
        stackKey: 'p/production',
        networkOwners: Object.fromEntries(names.map((each) => [each, 'd'])),
        mountPath: (path, digest) => `/kept/${digest}/${path}`,
        isNamedAtOnce: true,
        endpointPort: null,
        ceiling: { memoryBytes: null, cpus: null },
        trusted: true,
        mode: 'self-hosted',
      });
      expect(JSON.parse(JSON.stringify(release))).toEqual(release);
    }
  });

  it.each(Object.entries(reached))('%s is reachable at %j', async (name, expected) => {
    const { services } = (await stackOf(name)).project;
    const found = endpointsOf(services, [], { label: 'shop', baseDomain: 'x' });
    expect(found.map(({ service, host, port }) => `${service}@${host.replace(/\.x$/, '')}:${port}`)).toEqual(expected);
  });
});
