import type { Kysely } from 'kysely';
import { up as access } from './0001-access.ts';
import { up as projects } from './0002-projects.ts';
import { up as deployments } from './0003-deployments.ts';
import { up as images } from './0004-images.ts';
import { up as servers } from './0005-servers.ts';
import { up as backupDestinations } from './0006-backup-destinations.ts';
import { up as githost } from './0007-githost.ts';
import { up as pushes } from './0008-pushes.ts';
import { up as services } from './0009-services.ts';
import { up as domains } from './0010-domains.ts';
import { up as removedDomains } from './0011-removed-domains.ts';
import { up as certificates } from './0012-certificates.ts';
import { up as serverTargets } from './0013-server-targets.ts';
import { up as serverUpkeep } from './0014-server-upkeep.ts';
import { up as cloud } from './0015-cloud.ts';
import { up as reservations } from './0016-reservations.ts';
import { up as lentApp } from './0017-lent-app.ts';
import { up as cloudPlaces } from './0018-cloud-places.ts';
import { up as deletedProjects } from './0019-deleted-projects.ts';
import { up as sessionProofs } from './0025-session-proofs.ts';
import { up as backgroundTasks } from './0029-background-tasks.ts';
import { up as volumes } from './0030-volumes.ts';
import { up as instanceCertificate } from './0031-instance-certificate.ts';
import { up as projectUsers } from './0020-project-users.ts';
import { up as stepCrashes } from './0027-step-crashes.ts';
import { up as instanceBackups } from './0032-instance-backups.ts';
import { up as adoptionWarnings } from './0033-adoption-warnings.ts';
import { up as backups } from './0034-backups.ts';
import { up as policyHealth } from './0035-policy-health.ts';
import { up as incompleteBackups } from './0036-incomplete-backups.ts';
import { up as accessNotifications } from './0037-access-notifications.ts';
import { up as uploadChunks } from './0038-upload-chunks.ts';
import { up as buildWorkers } from './0040-build-workers.ts';
import { up as serverClusters } from './0039-server-clusters.ts';
import { up as registryPassword } from './0041-registry-password.ts';
import { up as returnedBuilds } from './0042-returned-builds.ts';
import { up as deploymentsByServer } from './0043-deployments-by-server.ts';
import { up as serverFolders } from './0044-server-folders.ts';

/** In the order they run. A migration that was released is never changed; add the next one. */
export const migrations: Record<string, (db: Kysely<unknown>) => Promise<void>> = {
  '0001-access': access,
  '0002-projects': projects,
  '0003-deployments': deployments,
  '0004-images': images,
  '0005-servers': servers,
  '0006-backup-destinations': backupDestinations,
  '0007-githost': githost,
  '0008-pushes': pushes,
  '0009-services': services,
  '0010-domains': domains,
  '0011-removed-domains': removedDomains,
  '0012-certificates': certificates,
  '0013-server-targets': serverTargets,
  '0014-server-upkeep': serverUpkeep,
  '0015-cloud': cloud,
  '0016-reservations': reservations,
  '0017-lent-app': lentApp,
  '0018-cloud-places': cloudPlaces,
  '0019-deleted-projects': deletedProjects,
  '0025-session-proofs': sessionProofs,
  '0029-background-tasks': backgroundTasks,
  '0020-project-users': projectUsers,
  '0027-step-crashes': stepCrashes,
  '0030-volumes': volumes,
  '0031-instance-certificate': instanceCertificate,
  '0032-instance-backups': instanceBackups,
  '0033-adoption-warnings': adoptionWarnings,
  '0034-backups': backups,
  '0035-policy-health': policyHealth,
  '0036-incomplete-backups': incompleteBackups,
  '0037-access-notifications': accessNotifications,
  '0038-upload-chunks': uploadChunks,
  '0039-server-clusters': serverClusters,
  '0040-build-workers': buildWorkers,
  '0041-registry-password': registryPassword,
  '0042-returned-builds': returnedBuilds,
  '0043-deployments-by-server': deploymentsByServer,
  '0044-server-folders': serverFolders,
};
