import { z } from '../../../lib/zod/index.ts';
import { emptyResponse, idParams, isoTime, okItem, okDone, itemResponse, timeField } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { DashboardLinks } from '../links.ts';
import { GivenPassword, Password, LinkSecret } from '../users/schemas.ts';
import type { Passwords } from './service.ts';

export const passwordRoutes = (passwords: Passwords, links: DashboardLinks): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/password',
    permission: 'signed-in',
    summary: 'Change your password',
    description:
      'Ends your other sessions, and with `revokeTokens` revokes your access tokens in all organizations. Only when signed in by cookie.',
    body: z.object({
      currentPassword: GivenPassword,
      newPassword: Password,
      revokeTokens: z.boolean().default(false),
    }),
    output: emptyResponse,
    async handle({ caller, body }) {
      await passwords.change(caller, body);
      return okDone;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/members/:id/password-reset',
    permission: 'member:admin',
    summary: 'Create a password reset link for a member',
    description:
      'For owners. Mooring sends no e-mail: share the `url` yourself. It works once and expires after a day.',
    status: 201,
    params: idParams,
    output: itemResponse(z.object({ token: z.string(), url: z.string(), expiresAt: timeField })),
    async handle({ caller, params }) {
      const { secret, expiresAt } = await passwords.offerReset(caller, params.id);
      return okItem({ token: secret, url: links.passwordReset(secret), expiresAt: isoTime(expiresAt) });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/auth/reset-password',
    permission: 'public',
    summary: 'Set a new password with a reset link',
    description: 'Ends all sessions of the person and revokes their access tokens in all organizations.',
    body: z.object({ token: LinkSecret, password: Password }),
    output: emptyResponse,
    async handle({ body, ip }) {
      await passwords.reset(body.token, body.password, ip);
      return okDone;
    },
  }),
];
