import type { AuditEntry } from '../../api.ts';
import { roleTitle } from '../../roles.ts';

/** The text of each action after the actor's name. `{target}` and the names of details are filled in. */
const sentences: Record<string, string> = {
  'instance.set_up': 'set up this instance',
  'instance.update_requested': 'started the update from {from} to {to}',
  'session.started': 'signed in',
  'session.ended': 'signed out',
  'organization.created': 'created the organization {target}',
  'organization.renamed': 'renamed the organization from {before} to {target}',
  'invitation.created': 'invited {target} as {role}',
  'invitation.withdrawn': 'revoked the invitation of {target}',
  'invitation.accepted': 'accepted an invitation and joined as {role}',
  'member.role_changed': 'changed the role of {target} from {before} to {role}',
  'member.grants_replaced': 'changed the grants of {target}',
  'member.removed': 'removed {target} from the organization',
  'member.left': 'left the organization',
  'token.created': 'created the access token {target}',
  'token.revoked': 'revoked the access token {target}',
  'project.created': 'created the project {target}',
  'project.updated': 'changed the project {target}',
  'project.deleted': 'deleted the project {target}',
  'project.scaled': 'scaled {service} of {target} to {replicas} replicas',
  'project.variables_changed': 'changed variables of {target}',
  'project.deploy_key_created': 'created a deploy key for {target}',
  'project.deploy_key_deleted': 'deleted the deploy key of {target}',
  'project.promoted': 'moved {target} to the cloud',
  'project.brought_home': 'moved {target} back from the cloud',
  'project.removed_from_cloud': 'removed {target} from the cloud',
  'project.left_in_cloud': 'left the copy of {target} in the cloud',
  'cloud.linked': 'linked the cloud {target} as {account}',
  'cloud.unlinked': 'unlinked the cloud {target}',
  'server.created': 'added the server {target}',
  'server.updated': 'changed the server {target}',
  'server.deleted': 'removed the server {target}',
  'cluster.created': 'created a cluster on the server {target}',
  'cluster.head_changed': 'made {target} the server of the cluster instead of {from}',
  'cluster.joined': 'added the server {target} to a cluster',
  'cluster.left': 'removed the server {target} from a cluster',
  'cluster.node_changed': 'changed a node of the cluster on {target}',
  'server.tested': 'tested the connection to the server {target}',
  'server.host_key_forgotten': 'forgot the host key of the server {target}',
  'migration.adopted': 'adopted services on the server {server} as the project {target}',
  'migration.undone': 'undid the cut-over of {target}',
  'migration.confirmed': 'confirmed the cut-over of {target}',
  'domain.added': 'added the domain {target}',
  'domain.changed': 'changed the domain {target}',
  'domain.removed': 'removed the domain {target}',
  'domain.lost': 'proved ownership of {target} by DNS and moved it to another organization',
  'domain.certificate_ordered': 'ordered a new certificate for {target}',
  'domain.certificate_uploaded': 'uploaded a certificate for {target}',
  'domain.certificate_deleted': 'deleted the uploaded certificate of {target}',
  'volume.added': 'added the volume {volume} to {target}',
  'volume.changed': 'changed the volume {volume} of {target}',
  'volume.removed': 'removed the volume {volume} of {target}',
  'registry.created': 'added a login for the registry {target}',
  'registry.updated': 'changed the login for the registry {target}',
  'registry.deleted': 'deleted the login for the registry {target}',
  'githost.connect_started': 'started to connect the git host',
  'githost.connected': 'connected the git host as {login}',
  'githost.disconnected': 'disconnected the git host',
  'githost.hook_registered': 'registered the webhook of {target}',
  'githost.hook_deleted': 'removed a webhook of {target}',
  'githost.delivery_replayed': 'replayed a webhook delivery of {target}',
  'githost.token_lent': 'requested a git host token for a linked instance',
  'repository.created': 'created the repository {target}',
  'repository.deleted': 'deleted the repository {target}',
  'repository.clone_token_created': 'created a clone token for {repository}',
  'backup_destination.created': 'added the backup destination {target}',
  'backup_destination.updated': 'changed the backup destination {target}',
  'backup_destination.deleted': 'deleted the backup destination {target}',
  'backup_destination.tried': 'ran the preflight of the backup destination {target}',
  'backup_policy.created': 'added the backup policy {target}',
  'backup_policy.updated': 'changed the backup policy {target}',
  'backup_policy.deleted': 'deleted the backup policy {target}',
  'backup.started': 'ran the backup policy {target}',
  'backup.drill_started': 'started a drill of the backup policy {target}',
  'backup.cancelled': 'cancelled a backup',
  'backup.deleted': 'deleted a backup and its archives',
  'backup.downloaded': 'downloaded the archive {target}',
  'restore.started': 'restored the backup {backup}',
  'restore.undone': 'undid a restore with the backup {backup}',
  'restore.cancelled': 'cancelled a restore',
  'drill.cancelled': 'cancelled a drill',
  'backup_key.exported': 'exported the backup keys',
  'backup_key.rotated': 'rotated the backup key',
  'upload.opened': 'started an upload',
  'upload.received': 'uploaded a folder',
  'deployment.created': 'deployed {target}',
  'deployment.started': 'started the build of {target}',
  'deployment.cancelled': 'cancelled {target}',
  'deployment.pinned': 'pinned {target}',
  'deployment.unpinned': 'unpinned {target}',
  'deployment.answered': 'answered a prompt of {target}',
  'deployment.kept': 'kept the services of {target} that succeeded',
  'deployment.rejected': 'rejected {target}',
  'deployment.restarted': 'restarted {target}',
  'deployment.deleted': 'deleted {target}',
  'deployment.changed_in_cloud': 'changed {target} in the cloud ({request})',
  'password.changed': 'changed their password',
  'password.reset': 'set a new password with a reset link',
  'password.reset_offered': 'created a password reset link for {target}',
};

/** The subjects to filter the log by. */
export const auditSubjects = [
  { value: 'deployment', title: 'Deployments' },
  { value: 'project', title: 'Projects' },
  { value: 'domain', title: 'Domains' },
  { value: 'volume', title: 'Volumes' },
  { value: 'upload', title: 'Uploads' },
  { value: 'githost', title: 'Git host' },
  { value: 'repository', title: 'Repositories' },
  { value: 'server', title: 'Servers' },
  { value: 'registry', title: 'Registries' },
  { value: 'backup_destination', title: 'Backup destinations' },
  { value: 'backup_policy', title: 'Backup policies' },
  { value: 'backup', title: 'Backups' },
  { value: 'restore', title: 'Restores' },
  { value: 'backup_key', title: 'Backup keys' },
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

export type SentencePart = { text: string; strong: boolean };

/** Splits an entry into parts of a sentence. An unknown action is shown by its name. */
export function sentencePartsOf(entry: AuditEntry): SentencePart[] {
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
