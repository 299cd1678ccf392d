import type { Route } from '../../http/define-route.ts';
import type { GrantTargets } from '../access/port.ts';
import { destinationRoutes } from './destinations/routes.ts';
import { Destinations, type DestinationsOptions } from './destinations/service.ts';
import { selectKnownDestinations } from './destinations/store.ts';

/** Backup destinations. */
export interface BackupsArea {
  routes: Route[];
  destinations: Destinations;
}

export function createBackups({
  grantTargets,
  ...options
}: DestinationsOptions & { grantTargets: GrantTargets }): BackupsArea {
  const destinations = new Destinations(options);
  grantTargets.tellOf('backup_destination', selectKnownDestinations);
  return { routes: destinationRoutes(destinations, options.kinds), destinations };
}
