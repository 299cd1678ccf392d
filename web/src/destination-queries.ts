import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type Destination = Schemas['BackupDestination'];
export type DestinationBody = Schemas['BackupDestinationBody'];
export type DestinationKind = Schemas['BackupDestinationKind'];
export type KindField = DestinationKind['fields'][number];
export type Preflight = Schemas['Preflight'];

export const destinationsQuery = queryOptions({
  queryKey: ['backup-destinations'],
  queryFn: async () => (await unwrap(client.GET('/api/backup-destinations'))).data,
});

/** The kinds of destinations and their fields. They change only with the version of Mooring. */
export const destinationKindsQuery = queryOptions({
  queryKey: ['backup-destinations', 'kinds'],
  queryFn: async () => (await unwrap(client.GET('/api/backup-destinations/kinds'))).data,
  staleTime: Infinity,
});
