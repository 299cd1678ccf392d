import type { ArchiveEntry } from '../../../../lib/archive/reader.ts';
import { BackupError, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { spoolEntry, spoolFile } from '../spool-file.ts';
import {
  dumpContainer,
  dumpMachine,
  filesFor,
  redisDataLocationOf,
  proveRedis,
  readyServer,
  redisFile,
} from './redis.ts';
import { restoreOnMachine } from './redis-on-machine.ts';
import type { FoundServer } from '../servers.ts';
import { type RestoringDatabase, temporaryDatabaseName, withScratchOutput, withoutWriters } from './restore.ts';

type Where = Pick<RestoringDatabase, 'data' | 'holds' | 'found'>;

const containerOf = ({ service }: FoundServer) => ({ deploymentId: service.deploymentId, service: service.name });

/** Copies the RDB of a server to a file. */
export async function readRedis({ data, found }: Where, { folder, signal }: SourceCall): Promise<string> {
  const server = await found.open(signal);
  return spoolFile(folder, redisFile, async (write) => {
    if (!found.isContainer) return dumpMachine(server, write);
    const containers = data.parts.containers!.services.data;
    return dumpContainer(server, { data: containers, container: containerOf(found), signal }, write);
  });
}

export async function restoreRedis(
  { data, holds, found }: Where,
  entries: AsyncIterable<ArchiveEntry>,
  target: RestoreTarget,
  call: SourceCall,
): Promise<RestoreOutcome> {
  const { jobId, signal, folder } = call;
  const { name } = found.service;
  if (target.to === 'new')
    throw new BackupError('not_possible', 'This engine has no named databases', 'Restore in place or to scratch.');
  const rdb = await spoolEntry(entries, folder);
  if (!found.isContainer) return restoreOnMachine({ data, holds, found }, rdb, target, call);
  const containers = data.parts.containers!.services.data;
  const own = containerOf(found);
  const place = await redisDataLocationOf(await found.open(signal), containers, own);
  if (target.to === 'scratch') {
    const scratch = { jobId, name: temporaryDatabaseName({ found, database: '' }, jobId) };
    await containers.startScratch(own, scratch, { path: place.dir, entries: filesFor(place, rdb) });
    const server = await readyServer(
      () => found.open(signal, scratch),
      signal,
      `A new container of ${found.service.image}`,
    ).catch(async (error: unknown) => {
      if (error instanceof BackupError) error.message = await withScratchOutput(data, scratch, error.message);
      throw error;
    });
    return {
      place: `a container of ${found.service.image} without network`,
      proof: await proveRedis(server, target.query),
    };
  }
  // The server itself is stopped too: it would overwrite the files.
  await withoutWriters(
    { data, holds, found },
    jobId,
    () => containers.writeFiles(own, place.dir, filesFor(place, rdb)),
    [name],
  );
  const server = await readyServer(() => found.open(signal), signal, `The service ${name}`);
  return { place: `the service ${name}`, proof: await proveRedis(server, null) };
}
