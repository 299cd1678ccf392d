import { z } from '../../lib/zod/index.ts';

const command = z.string().max(4000).nullish();

/**
 * A service of a request. Accepts all other fields of a compose service as well, in camel case (`dependsOn`) or snake
 * case (`depends_on`).
 */
export const ServiceEntry = z
  .object({
    name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, {
      error: 'must be letters, digits, dots, dashes and underscores, at most 63',
    }),
    image: z.string().max(500).nullish(),
    build: z.union([z.string().max(1000), z.record(z.string(), z.unknown())]).nullish(),
    dockerfile: z.string().max(1000).nullish(),
    ports: z.array(z.unknown()).max(1000).nullish(),
    dependsOn: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).nullish(),
    environment: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).nullish(),
    volumes: z.array(z.unknown()).max(1000).nullish(),
    rootDirectory: z.string().max(1000).nullish(),
    installCommand: command,
    buildCommand: command,
    startCommand: command,
    outputDirectory: z.string().max(1000).nullish(),
    framework: z.string().max(100).nullish(),
    packageManager: z.string().max(100).nullish(),
    port: z.int().min(1).max(65535).nullish(),
  })
  .loose();

export type ServiceEntry = z.infer<typeof ServiceEntry>;

/** Fields to build an app without a Dockerfile. */
export const appFields = [
  'rootDirectory',
  'installCommand',
  'buildCommand',
  'startCommand',
  'outputDirectory',
  'framework',
  'packageManager',
  'port',
] as const;
