import { z } from '../../../lib/zod/index.ts';

const codes = [
  'unreachable',
  'refused',
  'timeout',
  'auth_failed',
  'host_key_changed',
  'misconfigured',
  'no_commands',
] as const;
export type CheckCode = (typeof codes)[number];

/** Result of a server test. */
export const ServerCheck = z
  .object({
    ok: z.boolean().describe('Signing in and running commands works.'),
    reason: z.string().optional().describe('Why it does not work.'),
    code: z.enum(codes).optional(),
    reached: z.boolean().describe('An SSH server responded.'),
    latencyMs: z.number().nullable().describe('Round trip of a short command.'),
    system: z.string().nullable(),
    architecture: z.string().nullable(),
    rights: z.enum(['root', 'sudo', 'none']).nullable().describe('`sudo`: without a password.'),
    engine: z
      .object({
        available: z.boolean(),
        version: z.string().nullable(),
        reason: z.string().nullable(),
        swarm: z
          .object({ nodeId: z.string(), isManager: z.boolean(), nodes: z.number().nullable() })
          .nullable()
          .optional()
          .describe('The Swarm that it is a node of. Only managers know the number of nodes.'),
      })
      .nullable()
      .describe('Docker, and whether the user can use it.'),
    disk: z
      .object({ path: z.string(), freeBytes: z.number(), totalBytes: z.number() })
      .nullable()
      .describe('Disk with the data of Docker, or the root disk.'),
  })
  .meta({ id: 'ServerCheck' });
export type ServerCheck = z.output<typeof ServerCheck>;

const nothing = { latencyMs: null, system: null, architecture: null, rights: null, engine: null, disk: null };

export const failedCheck = (code: CheckCode, reason: string): ServerCheck => ({
  ok: false,
  code,
  reason,
  reached: code === 'auth_failed' || code === 'host_key_changed' || code === 'no_commands',
  ...nothing,
});
