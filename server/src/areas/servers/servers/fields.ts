import { isIP } from 'node:net';
import { z } from '../../../lib/zod/index.ts';
import { serverKinds } from '../../../db/tables/servers.ts';
import { hasControl } from '../../../lib/control-characters.ts';

const noControl = [
  (text: string) => !hasControl(text),
  { error: 'must not have control characters' },
] as const satisfies Parameters<z.ZodString['refine']>;

export const ServerName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .refine(...noControl);

const host = z
  .string()
  .max(253)
  .transform((text) =>
    text
      .trim()
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1'),
  )
  .refine((text) => isIP(text) > 0 || /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?\.?$/.test(text), {
    error: 'must be the name or the address of a machine, without a scheme and a port',
  });

const user = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !hasControl(text) && !/^-|\s/.test(text), { error: 'must be the name of a user' });

const secret = z
  .string()
  .min(1)
  .max(1000)
  .refine(...noControl)
  .nullable();

const domain = z
  .string()
  .max(200)
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text), {
    error: 'must be a domain such as apps.example.com',
  });

const edgePort = z.number().int().min(1).max(65_535).nullable();

export const ServerKind = z
  .enum(serverKinds)
  .describe('`this_machine` is the machine that runs Mooring; only for the instance owner.');

/** Fields of an SSH server. */
export const serverFields = {
  host: host.describe('Host name or IP address.'),
  port: z.number().int().min(1).max(65_535).describe('Default: 22.'),
  user: user.describe('User to sign in as.'),
  password: secret.describe('Never shown again.'),
  privateKey: z
    .string()
    .min(1)
    .max(20_000)
    .nullable()
    .describe('In the format of OpenSSH or as PEM. Never shown again.'),
  passphrase: secret.describe('Passphrase of the private key. Never shown again.'),
  baseDomain: domain.nullable().describe('Domain of generated addresses there. null: the base domain of the instance.'),
  edgePort: edgePort.describe('Port of the edge there. null: 80.'),
  edgeTlsPort: edgePort.describe('TLS port of the edge there. null: 443.'),
  generateKey: z.boolean().describe('Generate a key for this server; add `publicKey` to its authorized_keys.'),
};

export type ServerFields = Partial<z.output<z.ZodObject<typeof serverFields>>>;

/** Returns the SSH fields that are set. */
export const givenSshFields = (body: ServerFields): string[] =>
  Object.keys(serverFields).filter((field) => (body[field as keyof ServerFields] ?? false) !== false);
