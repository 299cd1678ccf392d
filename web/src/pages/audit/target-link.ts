import type { AuditEntry } from '../../api.ts';
import {
  toBackup,
  toBackups,
  toDeployment,
  toDestinations,
  toMembers,
  toProject,
  toRegistries,
  toRepository,
  toRestore,
  toServer,
  toTokens,
} from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';

/** Pages of audited resources, by the prefix of the id. */
const pages = [
  { prefix: 'prj_', needs: 'project:read', to: toProject },
  { prefix: 'dep_', needs: 'deployment:read', to: toDeployment },
  { prefix: 'srv_', needs: 'server:read', to: toServer },
  { prefix: 'bkd_', needs: 'backup_destination:list', to: () => toDestinations() },
  { prefix: 'bkp_', needs: 'backup:list', to: () => toBackups() },
  { prefix: 'bak_', needs: 'backup:read', to: toBackup },
  { prefix: 'rst_', needs: 'backup:read', to: toRestore },
  { prefix: 'reg_', needs: 'registry:list', to: () => toRegistries() },
  { prefix: 'tok_', needs: 'token:list', to: () => toTokens() },
  { prefix: 'mem_', needs: 'member:list', to: () => toMembers() },
];

const isGone = (action: string) =>
  /^(project|deployment|server|repository|registry|backup_destination|backup_policy|backup)\.deleted$/.test(action);

/** Returns the page of an entry's target; undefined if it has none, was deleted, or is not visible to the signed-in
 * person. */
export function useTargetLink() {
  const may = usePermissions();
  return ({ action, target }: AuditEntry) => {
    if (!target || isGone(action)) return undefined;
    const page = pages.find(({ prefix }) => target.id.startsWith(prefix));
    if (page) return may(page.needs) ? page.to(target.id) : undefined;
    const repository = /^(githost\.hook|githost\.delivery|repository\.)/.test(action) ? target.name : null;
    return repository?.includes('/') && may('githost:read') ? toRepository(repository) : undefined;
  };
}
