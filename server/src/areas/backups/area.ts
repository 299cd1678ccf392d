import type { Route } from '../../http/define-route.ts';
import type { GrantTargets } from '../access/port.ts';
import { destinationRoutes } from './destinations/routes.ts';
import { Destinations, type DestinationsOptions } from './destinations/service.ts';
import { selectKnownDestinations } from './destinations/store.ts';
import { backupNotices } from './instance/notices.ts';

/** Backup destinations, and the state of backups of the instance itself. */
export interface BackupsArea {
  routes: Route[];
  destinations: Destinations;
  /** What the instance owner should know about backups of the instance itself. */
  notices(): Promise<string[]>;
}

export function createBackups({
  grantTargets,
  ...options
}: DestinationsOptions & { grantTargets: GrantTargets }): BackupsArea {
  const destinations = new Destinations(options);
  grantTargets.tellOf('backup_destination', selectKnownDestinations);
  return {
    routes: destinationRoutes(destinations, options.kinds),
    destinations,
    notices: () => backupNotices(options.db),
  };
}
