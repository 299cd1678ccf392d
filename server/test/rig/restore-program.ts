import { createBackupSources } from '../../src/areas/backups/sources/index.ts';
import type { DataOwner, SourceRef } from '../../src/areas/backups/sources/source.ts';
import { localMachineOnly } from '../../src/areas/deployments/model/machines.ts';
import { openDatabase } from '../../src/db/database.ts';
import { fileKeyRing } from '../../src/lib/key-ring.ts';
import { createSealer } from '../../src/lib/seal.ts';
import { type DataPlace, entriesIn, openPlace } from './data-services.ts';

/** What to restore in a process of its own, which can be killed. */
export interface RestoreTask {
  settings: { dataDir: string; databaseUrl: string | undefined };
  keyPath: string;
  place: DataPlace;
  owner: DataOwner;
  ref: SourceRef;
  archive: string;
  jobId: string;
  folder: string;
}

const task = JSON.parse(process.argv[2]!) as RestoreTask;
const { db, kind } = await openDatabase(task.settings);
const { parts } = openPlace(task.place);
const sealer = createSealer(fileKeyRing(task.keyPath));
const sources = createBackupSources({ db, kind, sealer, machines: localMachineOnly(parts) });
process.stdout.write('started\n');
await sources.restore(
  task.owner,
  task.ref,
  entriesIn(task.archive),
  { to: 'in-place' },
  { signal: new AbortController().signal, jobId: task.jobId, folder: task.folder, say: () => {} },
);
process.stdout.write('done\n');
process.exit(0);
