import type { Command } from './command.ts';
import { api } from './commands/api.ts';
import { audit } from './commands/audit.ts';
import { backupCommands } from './commands/backups/backup.ts';
import { backupKeyCommands } from './commands/backups/backup-key.ts';
import { backupPolicyCommands } from './commands/backups/backup-policy.ts';
import { cloudCommands } from './commands/cloud.ts';
import { cutOverCommands } from './commands/cut-over.ts';
import { decideCommands } from './commands/decide.ts';
import { deploy } from './commands/deploy.ts';
import { deployments } from './commands/deployments.ts';
import { destinationCommands } from './commands/destination.ts';
import { deployKey } from './commands/deploy-key.ts';
import { domainCommands } from './commands/domain.ts';
import { endpointCommands } from './commands/endpoint.ts';
import { envCommands } from './commands/env.ts';
import { githostCommands } from './commands/githost.ts';
import { instanceBackupCommands } from './commands/backups/instance-backup.ts';
import { limits } from './commands/limits.ts';
import { linkCommands } from './commands/link.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { logs } from './commands/logs.ts';
import { machineCommands } from './commands/machine.ts';
import { memberCommands } from './commands/member.ts';
import { migrateCommands } from './commands/migrate.ts';
import { open } from './commands/open.ts';
import { plan } from './commands/plan.ts';
import { projectCommands } from './commands/project.ts';
import { releaseCommands } from './commands/release.ts';
import { restoreCommands } from './commands/backups/restore.ts';
import { clusterCommands } from './commands/cluster.ts';
import { serverCommands } from './commands/server.ts';
import { scaleCommands } from './commands/scale.ts';
import { servicesCommands } from './commands/services.ts';
import { tokenCommands } from './commands/token.ts';
import { trustCommands } from './commands/trust.ts';
import { update } from './commands/update.ts';
import { volumeCommands } from './commands/volume.ts';
import { webhookCommands } from './commands/webhook.ts';
import { whoami } from './commands/whoami.ts';
import { workerCommands } from './commands/worker.ts';

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
