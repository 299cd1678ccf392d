import { domainToASCII } from 'node:url';
import { z } from '../../../lib/zod/index.ts';
import { hasControl } from './source.ts';

const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !hasControl(text), { error: 'must be one line without control characters' });

const command = oneLine(2000).nullable().describe('Null: as detected. Empty: no command.');

const relativePath = oneLine(500)
  .refine(isInside, { error: 'must be a path inside the source: relative, without ..' })
  // `overwrite` instead of `transform` keeps the documented output type.
  .overwrite(
    (path) =>
      path
        .split('/')
        .filter((name) => name && name !== '.')
        .join('/') || '.',
  )
  .nullable();

const hostname = z
  .string()
  .max(253)
  .overwrite((text) => domainToASCII(text.trim().replace(/\.$/, '')) || text)
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/, {
    error: 'must be a domain name',
  });

const port = z.number().int().min(1).max(65_535);

export const PublicEndpoint = z
  .object({
    port: z
      .union(
        [
          port,
          z
            .string()
            .regex(/^\d{1,5}$/)
            .transform(Number)
            .pipe(port),
        ],
        { error: 'must be a port, 1 to 65535' },
      )
      .optional(),
    targetPath: z
      .string()
      .max(500)
      .regex(/^[\x21-\x22\x24-\x3e\x40-\x7e]*$/, { error: 'must be a URL path, without spaces, ? and #' })
      .refine((path) => !/(^|\/)\.\.?(\/|$)/.test(path), { error: 'must not have . or .. in it' })
      .overwrite((path) => `/${path.split('/').filter(Boolean).join('/')}`)
      .optional()
      .describe('Serve only requests below this path; the longest match wins.'),
    domain: hostname.optional().describe('A subdomain of the domain of the instance.'),
    customDomain: hostname.optional().describe('Your own domain. The deployment adds it to the project.'),
    domainType: z.enum(['free', 'custom']).optional().describe('Which of the two is used.'),
    service: oneLine(100).optional().describe('Service that gets the requests; required if there are several.'),
    none: z
      .literal(true)
      .optional()
      .describe('No service of the compose stack is public. It is the only field of the only entry.'),
  })
  .refine(({ domainType, domain, customDomain }) => domainType !== 'custom' || domain || customDomain, {
    error: 'customDomain is required',
    path: ['customDomain'],
  })
  .meta({ id: 'PublicEndpoint' });

export const PublicEndpoints = z
  .array(PublicEndpoint)
  .max(20)
  .refine((all) => !hasNoPublicService(all) || (all.length === 1 && Object.keys(all[0]!).length === 1), {
    error: 'an entry with none must be the only one, without other fields',
  });

/** Whether no service of a stack is public, whatever its source says. */
export const hasNoPublicService = (endpoints: readonly { none?: true | undefined }[]): boolean =>
  endpoints.some(({ none }) => none);

const buildLabel = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,62}(=[\w.-]{0,63})?$/, { error: 'must be a label such as gpu or team=web' });
const buildPlatform = z
  .string()
  .regex(/^linux\/[a-z0-9]{1,20}(\/v[0-9]{1,2})?$/, { error: 'must be a platform such as linux/arm64' });

export const ReplicaCount = z.number().int().min(1).max(50);

/** Settings stored as JSON. Null means "as detected". */
export const settingFields = {
  rootDirectory: relativePath,
  installCommand: command,
  buildCommand: command,
  startCommand: command,
  releaseCommand: command.describe('Command that runs once before each release. Null: as detected. Empty: no command.'),
  outputDirectory: relativePath,
  framework: oneLine(100).nullable(),
  packageManager: oneLine(100).nullable(),
  nodeVersion: oneLine(100).nullable(),
  port: port.nullable(),
  resources: z.object({
    memoryMb: z.number().int().min(16).max(4_194_304).optional(),
    cpus: z.number().min(0.01).max(1024).optional(),
    readOnly: z
      .boolean()
      .optional()
      .describe(
        'Containers only: make everything except `/tmp`, `/var/tmp`, `/run` and volumes read-only. Default: off.',
      ),
  }),
  healthCheck: z.object({
    path: z
      .string()
      .max(500)
      .regex(/^\/[\x21-\x7e]*$/, { error: 'must begin with a slash and be a URL path, without spaces' })
      .optional(),
    timeoutSeconds: z.number().int().min(1).max(600).optional(),
    type: z.enum(['http', 'tcp']).optional(),
  }),
  publicEndpoints: PublicEndpoints,
  replicas: ReplicaCount.describe('Number of replicas of an app.'),
  scale: z
    .record(oneLine(100), ReplicaCount)
    .refine((scale) => Object.keys(scale).length <= 100, { error: 'must name at most 100 services' })
    .describe('Number of replicas of compose services by name; default: as in the compose file.'),
  buildLabels: z.array(buildLabel).max(20).describe('Labels that the build worker must have, such as `gpu`.'),
  buildPlatforms: z
    .array(buildPlatform)
    .max(8)
    .describe('Platforms that build workers build for, besides those of the machines that run it: `linux/amd64`.'),
};

const ProjectSettings = z.object(settingFields);
export type ProjectSettings = z.output<typeof ProjectSettings>;

const text = z.string().nullable();

/** Stored form without the validation of requests, whose rules may have changed since. */
export const StoredEndpoints = z.array(
  z.object({
    port: z.number().optional(),
    targetPath: z.string().optional(),
    domain: z.string().optional(),
    customDomain: z.string().optional(),
    domainType: z.enum(['free', 'custom']).optional(),
    service: z.string().optional(),
    none: z.literal(true).optional(),
  }),
) satisfies z.ZodType<ProjectSettings['publicEndpoints']>;

/** Partial: older projects lack settings that were added later. */
export const StoredSettings = z
  .object({
    rootDirectory: text,
    installCommand: text,
    buildCommand: text,
    startCommand: text,
    releaseCommand: text,
    outputDirectory: text,
    framework: text,
    packageManager: text,
    nodeVersion: text,
    port: z.number().nullable(),
    resources: z.object({
      memoryMb: z.number().optional(),
      cpus: z.number().optional(),
      readOnly: z.boolean().optional(),
    }),
    healthCheck: z.object({
      path: z.string().optional(),
      timeoutSeconds: z.number().optional(),
      type: z.enum(['http', 'tcp']).optional(),
    }),
    publicEndpoints: StoredEndpoints,
    replicas: z.number(),
    scale: z.record(z.string(), z.number()),
    buildLabels: z.array(z.string()),
    buildPlatforms: z.array(z.string()),
  } satisfies { [K in keyof ProjectSettings]: z.ZodType<ProjectSettings[K]> })
  .partial();

export const defaultSettings: ProjectSettings = {
  rootDirectory: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  releaseCommand: null,
  outputDirectory: null,
  framework: null,
  packageManager: null,
  nodeVersion: null,
  port: null,
  resources: {},
  healthCheck: {},
  publicEndpoints: [],
  replicas: 1,
  scale: {},
  buildLabels: [],
  buildPlatforms: [],
};

export const settingNames = Object.keys(settingFields) as (keyof ProjectSettings)[];

function isInside(path: string): boolean {
  if (path.startsWith('/') || path.includes('\\') || /^[A-Za-z]:/.test(path)) return false;
  return !path.split('/').includes('..');
}
