import { z } from '../../../lib/zod/index.ts';
import { timeField } from '../../../http/responses.ts';
import { settingFields } from '../projects/settings.ts';

export const SessionBody = z.object({
  mode: z.enum(['local', 'server', 'cloud']).default('local').describe('Default target of the deployment.'),
  serverId: z.string().max(100).optional().describe('With `server`: which one.'),
  projectId: z.string().max(100).optional().describe('Project that can deploy it.'),
});
export type SessionBody = z.output<typeof SessionBody>;

export const UploadSession = z
  .object({
    success: z.literal(true),
    sessionId: z.string(),
    expiresAt: timeField,
    upload: z.object({
      url: z.string().describe('A path of this instance.'),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()).describe('All headers that the upload needs; shown only once.'),
    }),
  })
  .meta({ id: 'UploadSession' });

export const UploadReceipt = z
  .object({ sessionId: z.string(), size: z.number(), sha256: z.string() })
  .meta({ id: 'Upload' });

/** What to look at in a source. */
export const sourceSelectionFields = {
  rootDirectory: settingFields.rootDirectory.unwrap().optional().describe('Folder of the app in the source.'),
  deploys: z
    .literal('compose')
    .optional()
    .describe('Detect the services of the compose file, also if the source would be deployed as an app.'),
};
export const ScanBody = z.object({ sessionId: z.string().max(100), ...sourceSelectionFields });

const text = z.string().nullable();
const DetectedService = z
  .object({
    name: z.string(),
    image: text,
    build: z
      .object({ context: z.string(), dockerfile: text, target: text })
      .nullable()
      .describe('Null for services that are not built. `context` is a folder of the source.'),
    ports: z.array(
      z.object({
        target: z.number(),
        published: z.number().nullable().describe('Port of the machine that it publishes.'),
        protocol: z.string(),
      }),
    ),
    dependsOn: z.array(z.string()),
    environment: z.array(z.string()).describe('Names of its variables.'),
    volumes: z.array(z.string()).describe('Mount paths in the container.'),
  })
  .meta({ id: 'DetectedService' });
/** Result of the detection; see detect/detect.ts. */
export const Detected = z
  .object({
    framework: text,
    language: text,
    languageVersion: text.describe('Version that the source asks for; null if it names none.'),
    packageManager: text,
    installCommand: text,
    buildCommand: text,
    startCommand: text,
    releaseCommand: text.describe('Command of the source that runs once before each release.'),
    outputDirectory: text,
    fallback: text.describe('File that is served for unknown paths; null for a plain site.'),
    port: z.number().nullable(),
    healthPath: text.describe('Health check path of a settings file of the source, used if the project sets none.'),
    dockerfile: text,
    compose: text.describe('The compose file of the source.'),
    deploys: z
      .enum(['app', 'compose'])
      .describe(
        'What is deployed: the app, or the services of the compose file. With `app` and a `compose` file, the variable ' +
          '`COMPOSE_FILE` of the project with the name of the file deploys its services instead.',
      ),
    services: z.array(DetectedService).describe('Services of the compose file; its problems are in `reasons`.'),
    apps: z.array(z.object({ name: z.string(), rootDirectory: z.string(), framework: text })),
    variables: z.array(z.object({ key: z.string(), example: text })),
    required: z.array(z.string()).describe('Variables without which the compose file cannot be deployed.'),
    defaults: z
      .array(z.object({ key: z.string(), value: z.string() }))
      .describe('Variables that a settings file of the source sets, such as fly.toml; those of the project win.'),
    volumes: z
      .array(z.object({ name: z.string(), path: z.string(), reason: z.string() }))
      .describe('Folders that probably need a volume.'),
    warnings: z
      .array(z.object({ message: z.string(), unlessVariables: z.array(z.string()) }))
      .describe(
        'Data that is lost with the next deployment and that no volume can keep, unless one of the variables is set.',
      ),
    reach: z
      .object({
        services: z.array(
          z.object({
            service: z.string(),
            port: z.number().nullable().describe('Null: the port that its image exposes, known once it is there.'),
            reason: z.string().describe('Why it is or can be public.'),
            isPublic: z.boolean().describe('Whether it is public if nobody chooses.'),
          }),
        ),
        question: text.describe('Set if several services can be public, and the source does not say which one is.'),
        warning: text.describe('Set if no service can be reached.'),
      })
      .nullable()
      .describe(
        'Services of the compose file that are or can be public, the best first. Choose with `publicEndpoints` of the ' +
          'project. Null if no compose file is deployed.',
      ),
    access: z
      .array(
        z.object({
          service: text.describe('Null for networks, volumes, configs and secrets.'),
          field: z.string(),
          file: z.string(),
          line: z.number().nullable(),
          reason: z.string().describe('What it is, and what it allows.'),
        }),
      )
      .describe('Access to the machine that the compose file asks for. Only trusted projects have it.'),
    reasons: z.array(z.string()).describe('Reasons, one sentence for each conclusion.'),
  })
  .meta({ id: 'Detection' });
export type Detected = z.input<typeof Detected>;

export type SelectedSource = Pick<z.output<typeof ScanBody>, 'rootDirectory' | 'deploys'>;
export type DetectFolder = (folder: string, place?: SelectedSource) => Promise<Detected>;
