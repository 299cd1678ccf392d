import { z } from '../../../lib/zod/index.ts';
import { stackOrigins } from './platforms.ts';

const text = z.string();
const orNull = <T extends z.ZodType>(schema: T) => schema.nullable();

const Port = z.object({
  target: z.number(),
  protocol: text,
  published: orNull(z.number()).describe('Null: the engine chooses one.'),
  hostIp: orNull(text).describe('Null: on every address.'),
});

const Mount = z.object({
  type: text,
  source: text.describe('The volume, or the folder of the machine.'),
  target: text,
  readOnly: z.boolean(),
});

const Route = z.object({
  host: text,
  path: orNull(text),
  port: orNull(z.number()),
  proxy: z.enum(['traefik', 'nginx-proxy', 'caddy']),
});

export const StackService = z
  .object({
    name: text.describe('Name for `adopt`: `group/service`, or the service alone.'),
    service: text,
    group: orNull(text),
    containerId: text.describe('Of its first container, or of the Swarm service.'),
    containerName: text,
    replicas: z.number().describe('Number of its containers; the details are those of the first one.'),
    image: text,
    imageId: text,
    digest: orNull(text),
    state: text,
    health: orNull(text),
    createdAt: text,
    restartPolicy: text,
    command: orNull(z.array(text)),
    entrypoint: orNull(z.array(text)),
    user: text,
    workingDir: text,
    ports: z.array(Port),
    exposed: z.array(text),
    mounts: z.array(Mount),
    networks: z.array(z.object({ name: text, aliases: z.array(text) })),
    limits: z.object({ memory: orNull(z.number()), cpus: orNull(z.number()), pids: orNull(z.number()) }),
    healthcheck: orNull(z.object({ test: z.array(text), intervalSeconds: orNull(z.number()) })),
    env: z.array(
      z.object({
        key: text,
        value: orNull(text).describe('Null where it looks like a secret.'),
        secret: z.boolean(),
      }),
    ),
    labels: z.record(text, text),
    routes: z.array(Route).describe('Routes configured in a proxy on the server.'),
    logDriver: text,
    dependsOn: z.array(text),
    managedBy: z.enum(stackOrigins),
    adoptable: z.boolean(),
    needsTrust: z.array(text).describe('Why only the instance owner can adopt it.'),
    alreadyManaged: z.boolean(),
    warnings: z.array(text),
  })
  .meta({ id: 'StackService' });
export type StackService = z.output<typeof StackService>;

export const ScannedStack = z
  .object({
    serverId: text,
    engine: z.object({
      version: text,
      apiVersion: text,
      os: text,
      arch: text,
      swarm: z.boolean(),
      rootless: z.boolean(),
      cgroup: text,
    }),
    groups: z.array(
      z.object({
        project: orNull(text),
        source: z.enum(stackOrigins),
        composeFiles: z.array(
          z.object({ path: text, found: z.boolean(), matches: z.boolean(), problem: text.optional() }),
        ),
        services: z.array(text),
      }),
    ),
    services: z.array(StackService),
    volumes: z.array(
      z.object({
        name: text,
        driver: text,
        usedBy: z.array(text),
        anonymous: z.boolean(),
        external: z.boolean().describe('No compose project on this server has created it.'),
      }),
    ),
    networks: z.array(z.object({ name: text, driver: text, usedBy: z.array(text), internal: z.boolean() })),
    warnings: z.array(text),
    adoptable: z.number().describe('Number of services that can be adopted.'),
    alreadyManaged: z.array(text),
  })
  .meta({ id: 'Stack' });
export type ScannedStack = z.output<typeof ScannedStack>;
