import { join } from 'node:path';
import type { DatabaseKind } from '../../db/database.ts';
import { Broadcasts } from '../../events/broadcasts.ts';
import { EventLog } from '../../events/event-log.ts';
import type { Route } from '../../http/define-route.ts';
import type { Log } from '../../lib/log.ts';
import type { GrantTargets } from '../access/port.ts';
import { ArchiveStores } from './archives/archive-stores.ts';
import { destinationRoutes } from './destinations/routes.ts';
import { Destinations, type DestinationsOptions } from './destinations/service.ts';
import { selectKnownDestinations } from './destinations/store.ts';
import { backupNotices } from './instance/notices.ts';
import { importArchive } from './jobs/import.ts';
import { Downloads } from './jobs/downloads.ts';
import { jobRoutes } from './jobs/routes.ts';
import { afterJob, runJob, undoJob } from './jobs/run.ts';
import { Scheduler } from './jobs/scheduler.ts';
import { Backups } from './jobs/service.ts';
import { jobEvents } from './jobs/store.ts';
import { JobWorker } from './jobs/worker.ts';
import { BackupKeys } from './keys/service.ts';
import { policyRoutes } from './policies/routes.ts';
import { Policies } from './policies/service.ts';
import type { MakeInstanceBackup } from './sources/instance.ts';
import type { BackupSources } from './sources/source.ts';

/** Backups of projects: destinations, policies, runs and restores; and the state of backups of the instance itself. */
export interface BackupsArea {
  routes: Route[];
  destinations: Destinations;
  policies: Policies;
  backups: Backups;
  /** What the instance owner should know about backups of the instance itself. */
  notices(): Promise<string[]>;
  /** Starts the workers and resumes unfinished work. */
  start(): void;
  stop(): Promise<void>;
}

type Options = DestinationsOptions & {
  kind: DatabaseKind;
  log: Log;
  /** Names this service among replicas, also after a restart. */
  owner: string;
  dataDir: string;
  version: string;
  sources: BackupSources;
  makeInstanceBackup: MakeInstanceBackup;
  serverOf: ConstructorParameters<typeof ArchiveStores>[0]['serverOf'];
  grantTargets: GrantTargets;
};

export function createBackups(options: Options): BackupsArea {
  const { db, kind, sealer, log, owner, dataDir, version, sources, serverOf, grantTargets, makeInstanceBackup } =
    options;
  const destinations = new Destinations(options);
  grantTargets.tellOf('backup_destination', selectKnownDestinations);
  const keys = new BackupKeys({ db, sealer });
  const stores = new ArchiveStores({ db, destinations, serverOf });
  const events = new EventLog(db, { tables: jobEvents });
  const warn = (message: string) => log.warn(message);
  const deps = { db, sources, stores, keys, folder: join(dataDir, 'tmp', 'backups'), version, makeInstanceBackup };
  const policies = new Policies({ db, destinations, keys, sources });
  const backups = new Backups({
    db,
    events,
    stores,
    look: () => worker.look(),
    wake: (id) => worker.wake(id),
  });
  const worker = new JobWorker({
    db,
    kind,
    events,
    log,
    owner,
    run: (job) => runJob(deps, job),
    undo: (job) => undoJob(deps, job),
    ended: (row, status) => {
      scheduler.look();
      return afterJob({ ...deps, backups, warn }, row, status);
    },
  });
  const scheduler = new Scheduler({ db, log, backups, sources, folder: deps.folder });
  return {
    routes: [
      ...destinationRoutes(destinations, options.kinds),
      ...policyRoutes({ policies, backups, keys, sources }),
      ...jobRoutes({
        backups,
        downloads: new Downloads({ db, backups, stores, keys, sealer }),
        broadcasts: new Broadcasts(events, warn),
        receive: (caller, wanted, body) => importArchive({ db, destinations, stores, keys }, caller, wanted, body),
      }),
    ],
    destinations,
    policies,
    backups,
    notices: () => backupNotices(db),
    start() {
      worker.start();
      scheduler.start();
    },
    async stop() {
      await scheduler.stop();
      await worker.stop();
    },
  };
}
