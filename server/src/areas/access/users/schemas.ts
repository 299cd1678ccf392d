import { z } from '../../../lib/zod/index.ts';

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ error: 'must be an e-mail address' }));
export const PersonName = z.string().trim().min(1).max(100);
export const Password = z.string().min(8).max(256);
/** A password to check: any text. */
export const GivenPassword = z.string().min(1).max(256);
export const OrganizationName = z.string().trim().min(1).max(100);
/** A secret in a body: setup code, invitation or reset link. */
export const LinkSecret = z.string().min(1).max(100);

export const User = z
  .object({ id: z.string(), email: z.string(), name: z.string(), isInstanceOwner: z.boolean() })
  .meta({ id: 'User' });
