import { z } from '../../../lib/zod/index.ts';
import type { RegistryTable } from '../../../db/tables.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import { hasControl } from '../projects/source.ts';

/** As in image names: a host with an optional port. */
const address = z
  .string()
  .max(255)
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/.test(text), {
    error: 'must be a host, with a port if it needs one: registry.example.com:5000',
  });

const word = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !hasControl(text), { error: 'must not have control characters' });

export const RegistryBody = z.object({
  address: address.describe('`docker.io` for Docker Hub.'),
  username: word(255),
  password: word(10_000).describe('Password or access token. Never shown again.'),
});
export type RegistryBody = z.output<typeof RegistryBody>;

export const RegistryChange = RegistryBody.omit({ address: true }).partial();
export type RegistryChange = z.output<typeof RegistryChange>;

export const Registry = z
  .object({
    id: z.string(),
    address: z.string(),
    username: z.string(),
    hasPassword: z.boolean(),
    createdAt: timeField,
    updatedAt: timeField,
  })
  .meta({ id: 'Registry' });

export const presentRegistry = (row: RegistryTable): z.input<typeof Registry> => ({
  id: row.id,
  address: row.address,
  username: row.username,
  hasPassword: true,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});
