import { z } from 'zod';

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

/** What a test of a server found. */
export const ServerCheck = z
  .object({
    ok: z.boolean().describe('We are let in and can run commands.'),
    reason: z.string().optional().describe('Why not, in a sentence.'),
    code: z.enum(codes).optional(),
    reached: z.boolean().describe('Something that speaks SSH answered.'),
    latencyMs: z.number().nullable().describe('Of the shortest command.'),
    system: z.string().nullable(),
    architecture: z.string().nullable(),
    rights: z.enum(['root', 'sudo', 'none']).nullable().describe('`sudo`: without being asked for a password.'),
    engine: z
      .object({ available: z.boolean(), version: z.string().nullable(), reason: z.string().nullable() })
      .nullable()
      .describe('The container engine, and whether the user may use it.'),
    disk: z
      .object({ path: z.string(), freeBytes: z.number(), totalBytes: z.number() })
      .nullable()
      .describe("Where the engine's data is, or the root of the machine."),
  })
  .meta({ id: 'ServerCheck' });
export type ServerCheck = z.output<typeof ServerCheck>;

const nothing = { latencyMs: null, system: null, architecture: null, rights: null, engine: null, disk: null };

export const failed = (code: CheckCode, reason: string): ServerCheck => ({
  ok: false,
  code,
  reason,
  reached: code === 'auth_failed' || code === 'host_key_changed' || code === 'no_commands',
  ...nothing,
});
