import { selectInvitation } from './areas/access/invitations/store.ts';
import { canSee } from './areas/access/grants.ts';
import { selectMember } from './areas/access/members/store.ts';
import { selectToken } from './areas/access/tokens/store.ts';
import type { BackupsArea } from './areas/backups/area.ts';
import type { DeploymentsArea } from './areas/deployments/area.ts';
import { selectDelivery } from './areas/githost/webhooks/delivery-store.ts';
import { selectRegistry } from './areas/projects/registries/store.ts';
import { visibleProject } from './areas/projects/projects/visible.ts';
import { visibleServer } from './areas/servers/servers/visible.ts';
import type { Db } from './db/database.ts';
import { notFound } from './errors.ts';
import { type Caller, hasPermission } from './http/caller.ts';
import type { TargetLookups } from './http/target-lookup.ts';

type Areas = { db: Db; backups: BackupsArea; deployments: DeploymentsArea };

/** Lookups of a route's target, by the path segment before `/:id`. */
export function targetLookups({ db, backups, deployments }: Areas): TargetLookups {
  const there =
    (what: string, select: (caller: Caller, id: string) => Promise<unknown>) => async (caller: Caller, id: string) => {
      if (!(await select(caller, id))) throw notFound(what);
    };
  return {
    '/api/projects': (caller, id, action) => visibleProject(db, caller, id, action),
    '/api/deployments': (caller, id, action) => deployments.deployments.get(caller, id, action),
    '/api/servers': (caller, id, action) => visibleServer(db, caller, id, action),
    '/api/backup-destinations': (caller, id, action) => backups.destinations.get(caller, id, action),
    '/api/backup-policies': (caller, id, action) => backups.policies.get(caller, id, action),
    '/api/backups': (caller, id, action) => backups.backups.get(caller, id, ['backup'], action),
    '/api/restores': (caller, id, action) => backups.backups.get(caller, id, ['restore', 'drill'], action),
    '/api/registries': there('registry', ({ organization }, id) => selectRegistry(db, organization.id, id)),
    '/api/members': there('member', ({ organization }, id) => selectMember(db, organization.id, id)),
    '/api/invitations': there('invitation', ({ organization }, id) => selectInvitation(db, organization.id, id)),
    '/api/tokens': there('token', async (caller, id) => {
      const token = await selectToken(db, caller.organization.id, id);
      return token && (token.memberId === caller.organization.memberId || hasPermission(caller, 'token:admin'));
    }),
    '/api/githost/deliveries': there('delivery', async (caller, id) => {
      const row = await selectDelivery(db, caller.organization.id, id);
      return row && canSee(caller, 'repository', row.repository ?? '');
    }),
  };
}
