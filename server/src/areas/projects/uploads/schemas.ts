import { z } from 'zod';
import { time } from '../../../http/answers.ts';

export const SessionBody = z.object({
  mode: z
    .enum(['local', 'server', 'cloud'])
    .default('local')
    .describe('Where it is deployed to, unless the deployment says.'),
  serverId: z.string().max(100).optional().describe('With `server`: which one.'),
  projectId: z.string().max(100).optional().describe('Only this project may use it.'),
});
export type SessionBody = z.output<typeof SessionBody>;

export const Session = z
  .object({
    success: z.literal(true),
    sessionId: z.string(),
    expiresAt: time,
    upload: z.object({
      url: z.string().describe('A path of this instance.'),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()).describe('All that the upload needs; shown this once.'),
    }),
  })
  .meta({ id: 'UploadSession' });

export const Received = z
  .object({ sessionId: z.string(), size: z.number(), sha256: z.string() })
  .meta({ id: 'Upload' });

export const ScanBody = z.object({ sessionId: z.string().max(100) });

const word = z.string().nullable();

/** What was found in an uploaded folder; see detect/detect.ts. */
export const Detected = z
  .object({
    framework: word,
    language: word,
    packageManager: word,
    installCommand: word,
    buildCommand: word,
    startCommand: word,
    outputDirectory: word,
    fallback: word,
    port: z.number().nullable(),
    dockerfile: word,
    compose: word,
    services: z.array(z.looseObject({ name: z.string() })),
    apps: z.array(z.object({ name: z.string(), rootDirectory: z.string(), framework: word })),
    variables: z.array(z.object({ key: z.string(), example: word })),
    reasons: z.array(z.string()),
  })
  .meta({ id: 'Detected' });
