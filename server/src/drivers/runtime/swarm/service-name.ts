import type { Owner } from '../runtime.ts';
import { readableName, shortHash } from '../docker/readable-names.ts';

/** Unique in the Swarm, so that two processes cannot start a release twice, and a valid host name. */
export const serviceName = (instanceId: string, { deploymentId, service, replica = 1 }: Owner): string =>
  `mooring-${readableName(service).slice(0, 24)}-${shortHash(instanceId, deploymentId, service, String(replica))}`;
