// The functions and types that other areas may import. The architecture test refuses imports of other files.
export { type AuditActor, recordAudit, recordAuditInAllOrganizations } from './audit/service.ts';
export { type GrantTargets, withdrawGrants } from './grant-targets.ts';
export { grantedIds, hasAccessTo, canSee } from './grants.ts';
export { selectMemberByUser } from './members/store.ts';
export { isOnlyOrganization, lockOrganization, selectOrganization } from './organizations/store.ts';
export { permissionsOfMember } from './roles.ts';
export { selectInstance, selectUser } from './users/store.ts';
