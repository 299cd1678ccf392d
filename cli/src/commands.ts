import type { Command } from './command.ts';
import { api } from './commands/api.ts';
import { audit } from './commands/access/audit.ts';
import { backupCommands } from './commands/backups/backup.ts';
import { backupKeyCommands } from './commands/backups/backup-key.ts';
import { backupPolicyCommands } from './commands/backups/backup-policy.ts';
import { cloudCommands } from './commands/cloud.ts';
import { cutOverCommands } from './commands/servers/cut-over.ts';
import { decideCommands } from './commands/deployments/decide.ts';
import { deploy } from './commands/deployments/deploy.ts';
import { deployments } from './commands/deployments/deployments.ts';
import { destinationCommands } from './commands/backups/destination.ts';
import { deployKey } from './commands/projects/deploy-key.ts';
import { domainCommands } from './commands/projects/domain.ts';
import { endpointCommands } from './commands/projects/endpoint.ts';
import { envCommands } from './commands/projects/env.ts';
import { githostCommands } from './commands/githost/githost.ts';
import { instanceBackupCommands } from './commands/backups/instance-backup.ts';
import { limits } from './commands/access/limits.ts';
import { linkCommands } from './commands/githost/link.ts';
import { login } from './commands/access/login.ts';
import { logout } from './commands/access/logout.ts';
import { logs } from './commands/deployments/logs.ts';
import { machineCommands } from './commands/instance/machine.ts';
import { memberCommands } from './commands/access/member.ts';
import { migrateCommands } from './commands/servers/migrate.ts';
import { open } from './commands/projects/open.ts';
import { plan } from './commands/deployments/plan.ts';
import { projectCommands } from './commands/projects/project.ts';
import { releaseCommands } from './commands/deployments/release.ts';
import { restoreCommands } from './commands/backups/restore.ts';
import { clusterCommands } from './commands/servers/cluster.ts';
import { serverCommands } from './commands/servers/server.ts';
import { scaleCommands } from './commands/deployments/scale.ts';
import { servicesCommands } from './commands/deployments/services.ts';
import { tokenCommands } from './commands/access/token.ts';
import { trustCommands } from './commands/projects/trust.ts';
import { update } from './commands/instance/update.ts';
import { volumeCommands } from './commands/projects/volume.ts';
import { webhookCommands } from './commands/githost/webhook.ts';
import { whoami } from './commands/access/whoami.ts';
import { workerCommands } from './commands/instance/worker.ts';

/** Every command, in the order of the help. */
export const commands: Command[] = [
  login,
  logout,
  whoami,
  deploy,
  plan,
  deployments,
  ...scaleCommands,
  ...servicesCommands,
  logs,
  open,
  ...releaseCommands,
  ...decideCommands,
  ...projectCommands,
  ...trustCommands,
  deployKey,
  ...linkCommands,
  ...endpointCommands,
  ...domainCommands,
  ...envCommands,
  ...volumeCommands,
  ...githostCommands,
  ...webhookCommands,
  ...serverCommands,
  ...clusterCommands,
  ...migrateCommands,
  ...cutOverCommands,
  ...cloudCommands,
  limits,
  ...destinationCommands,
  ...backupPolicyCommands,
  ...backupCommands,
  ...backupKeyCommands,
  ...restoreCommands,
  ...memberCommands,
  ...tokenCommands,
  audit,
  api,
  ...machineCommands,
  ...workerCommands,
  update,
  ...instanceBackupCommands,
];
