import { rm } from 'node:fs/promises';
import type { ArchiveEntry } from '../../../../lib/archive/reader.ts';
import type { ProjectData, ServiceHolds } from '../../../deployments/port.ts';
import { type FoundServer, databaseServersOf } from '../servers.ts';
import {
  BackupError,
  type PackContent,
  type RestoreOutcome,
  type RestoreTarget,
  type SourceCall,
  type SourceRef,
} from '../source.ts';
import { spoolFile } from '../spool-file.ts';
import { engines, isSystemDatabase } from './engines.ts';
import { redisFile } from './redis.ts';
import { readRedis, restoreRedis } from './redis-source.ts';
import { restoreDatabase, temporaryDatabaseName } from './restore.ts';
import { readSqliteSource, restoreSqlite, sqliteFile, requireSqliteFile } from './sqlite.ts';

type Where = { data: ProjectData; holds: ServiceHolds };
type Ref = SourceRef & { type: 'database' };

/** Packs a dump of a database. */
export async function readDatabase(where: Where, ref: Ref, call: SourceCall, pack: PackContent): Promise<void> {
  const { file, name } = await dumped(where, ref, call);
  await pack((content) => content.file(file, { path: name, mode: 0o600 }));
  await rm(file, { force: true });
}

/** Dumps a database to a file in the folder of the call. Returns it with its name in the archive. */
async function dumped({ data, holds }: Where, ref: Ref, call: SourceCall): Promise<{ file: string; name: string }> {
  if (ref.engine === 'sqlite')
    return {
      file: await readSqliteSource({ data, holds }, requireSqliteFile(data, ref.database), call),
      name: sqliteFile,
    };
  const found = serverOf(data, ref);
  const engine = engines[found.engine];
  if (!engine) return { file: await readRedis({ data, holds, found }, call), name: redisFile };
  const server = await engine.connect(await found.open(call.signal));
  const database =
    ref.database ?? found.database ?? (await engine.list(server)).find((name) => !isSystemDatabase(found.engine, name));
  if (database === undefined) throw missingDatabase(ref);
  const file = await spoolFile(call.folder, engine.file, (write) => engine.dump(server, database, write));
  return { file, name: engine.file };
}

export async function restoreAnyDatabase(
  where: Where,
  ref: Ref,
  entries: AsyncIterable<ArchiveEntry>,
  target: RestoreTarget,
  call: SourceCall,
): Promise<RestoreOutcome> {
  if (ref.engine === 'sqlite')
    return restoreSqlite(where, requireSqliteFile(where.data, ref.database), entries, target, call);
  const found = serverOf(where.data, ref);
  const engine = engines[found.engine];
  if (!engine) return restoreRedis({ ...where, found }, entries, target, call);
  const database = ref.database ?? found.database;
  if (database === null) throw missingDatabase(ref);
  return restoreDatabase({ ...where, found, engine, database }, entries, target, call);
}

/** Databases on this machine are tried beside the original; containers are removed with their data. */
export async function dropScratchDatabases(data: ProjectData, jobId: string): Promise<void> {
  for (const found of databaseServersOf(data)) {
    const engine = engines[found.engine];
    if (found.isContainer || !engine || found.database === null) continue;
    const server = await engine.connect(await found.open(AbortSignal.timeout(60_000)));
    await engine.drop(server, temporaryDatabaseName({ found, database: found.database }, jobId));
  }
}

function serverOf(data: ProjectData, ref: Ref): FoundServer {
  const own = databaseServersOf(data).filter(({ service }) => service.name === ref.service);
  const found = own.find(
    ({ engine, database, isContainer }) =>
      (ref.engine === undefined || engine === ref.engine) &&
      (isContainer || ref.database === undefined || database === ref.database),
  );
  if (!found) throw missingDatabase(ref);
  return found;
}

const missingDatabase = ({ service, engine, database }: Ref): BackupError =>
  new BackupError(
    'source_missing',
    `The service ${service} has no ${[engine, 'database', database].filter(Boolean).join(' ')}`,
    'Remove it from the policy, or deploy it again.',
  );
