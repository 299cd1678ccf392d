import { z } from 'zod';

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ error: 'must be an e-mail address' }));
export const PersonName = z.string().trim().min(1).max(100);
export const Password = z.string().min(8).max(256);
/** A password that is being checked, not set: any text. */
export const GivenPassword = z.string().min(1).max(256);
export const OrganizationName = z.string().trim().min(1).max(100);
/** A secret of ours in a body: a code, an invitation, a reset. */
export const Secret = z.string().min(1).max(100);

export const User = z
  .object({ id: z.string(), email: z.string(), name: z.string(), isInstanceOwner: z.boolean() })
  .meta({ id: 'User' });
