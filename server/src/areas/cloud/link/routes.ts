import type { Db } from '../../../db/database.ts';
import { emptyResponse, isoTimeOrNull, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import type { Caller } from '../../../http/caller.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { selectProjectsThere } from '../../projects/port.ts';
import { CloudLink, LinkBody } from './schemas.ts';
import type { CloudLinks } from './service.ts';

/** `onLinked` refreshes the lists. */
export const cloudLinkRoutes = (links: CloudLinks, db: Db, onLinked: (organizationId: string) => void): Route[] => {
  const show = async (caller: Caller) => {
    const state = await links.state(caller);
    const projects = state ? (await selectProjectsThere(db, caller.organization.id)).length : 0;
    return {
      linked: state !== undefined,
      from: state?.from ?? null,
      url: state?.url ?? null,
      account: state?.account?.email ?? null,
      organization: state?.account?.organization ?? null,
      reachable: state?.reachable ?? null,
      problem: state?.problem ?? null,
      projects,
      linkedAt: isoTimeOrNull(state?.linkedAt ?? null),
    };
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/api/cloud/link',
      permission: 'organization:read',
      mode: 'self-hosted',
      summary: 'Show the linked cloud and whether it responds',
      output: itemResponse(CloudLink),
      handle: async ({ caller }) => okItem(await show(caller)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/cloud/link',
      permission: 'organization:admin',
      mode: 'self-hosted',
      summary: 'Link the organization to a hosted cloud',
      description:
        'Checks the token with the cloud first; a rejected token is not stored (400). Replaces the previous link.',
      body: LinkBody,
      output: itemResponse(CloudLink),
      async handle({ caller, body }) {
        await links.link(caller, body);
        onLinked(caller.organization.id);
        return okItem(await show(caller));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/cloud/link',
      permission: 'organization:admin',
      mode: 'self-hosted',
      summary: 'Remove the cloud link',
      description: 'Fails while projects run there (409). The token stays valid until it is revoked in the cloud.',
      output: emptyResponse,
      async handle({ caller }) {
        await links.unlink(caller);
        return okDone;
      },
    }),
  ];
};
