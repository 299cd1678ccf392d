import type { AuditEntry } from '../../api.ts';
import { roleTitle } from '../../roles.ts';

/** What each action says after the actor's name. `{target}` and the names of details are filled in. */
const sentences: Record<string, string> = {
  'instance.set_up': 'set up this instance',
  'session.started': 'signed in',
  'session.ended': 'signed out',
  'organization.created': 'created the organization {target}',
  'organization.renamed': 'renamed the organization from {before} to {target}',
  'invitation.created': 'invited {target} as {role}',
  'invitation.withdrawn': 'withdrew the invitation of {target}',
  'invitation.accepted': 'accepted an invitation and joined as {role}',
  'member.role_changed': 'changed the role of {target} from {before} to {role}',
  'member.grants_replaced': 'changed the grants of {target}',
  'member.removed': 'removed {target} from the organization',
  'member.left': 'left the organization',
  'token.created': 'made the access token {target}',
  'token.revoked': 'revoked the access token {target}',
  'project.created': 'created the project {target}',
  'project.updated': 'changed the project {target}',
  'project.deleted': 'deleted the project {target}',
  'project.variables_changed': 'changed variables of {target}',
  'project.deploy_key_created': 'made a deploy key for {target}',
  'project.deploy_key_deleted': 'deleted the deploy key of {target}',
  'project.promoted': 'took {target} to the cloud',
  'project.brought_home': 'brought {target} home from the cloud',
  'project.removed_from_cloud': 'removed {target} from the cloud',
  'project.left_in_cloud': 'left in the cloud what is there of {target}',
  'cloud.linked': 'linked the cloud {target} as {account}',
  'cloud.unlinked': 'unlinked the cloud {target}',
  'server.created': 'added the server {target}',
  'server.updated': 'changed the server {target}',
  'server.deleted': 'removed the server {target}',
  'server.tested': 'tested the connection to the server {target}',
  'server.host_key_forgotten': 'forgot the host key of the server {target}',
  'migration.adopted': 'made the project {target} of services on the server {server}',
  'migration.undone': 'undid the cut-over of {target}',
  'migration.confirmed': 'confirmed the cut-over of {target}',
  'domain.added': 'added the domain {target}',
  'domain.changed': 'changed where the domain {target} leads',
  'domain.removed': 'removed the domain {target}',
  'domain.lost': 'proved that {target} is theirs and took it',
  'domain.certificate_ordered': 'ordered a new certificate for {target}',
  'domain.certificate_uploaded': 'uploaded a certificate for {target}',
  'domain.certificate_deleted': 'deleted the uploaded certificate of {target}',
  'volume.added': 'added the volume {volume} to {target}',
  'volume.changed': 'changed the volume {volume} of {target}',
  'volume.removed': 'removed the volume {volume} of {target}',
  'registry.created': 'added a login at the registry {target}',
  'registry.updated': 'changed the login at the registry {target}',
  'registry.deleted': 'removed the login at the registry {target}',
  'upload.opened': 'opened an upload',
  'upload.received': 'uploaded a folder',
  'deployment.created': 'deployed {target}',
  'deployment.started': 'started the build of {target}',
  'deployment.cancelled': 'cancelled {target}',
  'deployment.pinned': 'pinned {target}',
  'deployment.unpinned': 'unpinned {target}',
  'deployment.answered': 'answered a question of {target}',
  'deployment.kept': 'kept what works of {target}',
  'deployment.rejected': 'rejected {target}',
  'deployment.restarted': 'restarted {target}',
  'deployment.deleted': 'deleted {target}',
  'deployment.changed_in_cloud': 'changed {target} in the cloud ({request})',
  'password.changed': 'changed their password',
  'password.reset': 'set a new password by a reset link',
  'password.reset_offered': 'made a password reset link for {target}',
};

/** The nouns that the log can be narrowed to. */
export const nouns = [
  { value: 'deployment', title: 'Deployments' },
  { value: 'project', title: 'Projects' },
  { value: 'domain', title: 'Domains' },
  { value: 'volume', title: 'Volumes' },
  { value: 'server', title: 'Servers' },
  { value: 'migration', title: 'Migration' },
  { value: 'cloud', title: 'Cloud' },
  { value: 'session', title: 'Sign-ins' },
  { value: 'token', title: 'Access tokens' },
  { value: 'member', title: 'Members' },
  { value: 'invitation', title: 'Invitations' },
  { value: 'password', title: 'Passwords' },
  { value: 'organization', title: 'Organization' },
  { value: 'instance', title: 'Instance' },
];

export type Part = { text: string; strong: boolean };

/** An entry as parts of a sentence; an action that is not known here is told by its own words. */
export function partsOf(entry: AuditEntry): Part[] {
  const template = sentences[entry.action] ?? `${entry.action.replace(/[._]/g, ' ')} {target}`;
  return template
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) =>
      piece.startsWith('{')
        ? { text: valueOf(entry, piece.slice(1, -1)), strong: true }
        : { text: piece, strong: false },
    );
}

function valueOf({ target, details }: AuditEntry, name: string): string {
  if (name === 'target') return target ? (target.name ?? target.id) : '';
  const value = details[name] ?? '';
  // `before` is a role where a role was changed, and a name where something was renamed.
  const isRole = name === 'role' || (name === 'before' && 'role' in details);
  return isRole ? roleTitle(String(value)) : String(value);
}
