import { setTimeout as sleep } from 'node:timers/promises';
import type { ArchiveEntry } from '../../../../lib/archive/reader.ts';
import { BackupError, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { spoolEntry, spoolFile } from '../spool-file.ts';
import { dumpContainer, dumpMachine, filesFor, isReady, placeOf, prove, redisFile } from './redis.ts';
import type { FoundServer } from '../servers.ts';
import { type RestoringDatabase, temporaryName, withoutWriters } from './restore.ts';

const readyMs = 120_000;

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
  { jobId, signal, folder }: SourceCall,
): Promise<RestoreOutcome> {
  const { name } = found.service;
  if (target.to === 'new')
    throw new BackupError('not_possible', 'This engine has no named databases', 'Restore in place or to scratch.');
  if (!found.isContainer)
    throw new BackupError(
      'not_possible',
      'The files of a server outside containers belong to another user',
      'Download the archive and replace the RDB file of the server while it is stopped.',
    );
  const rdb = await spoolEntry(entries, folder);
  const containers = data.parts.containers!.services.data;
  const own = containerOf(found);
  const place = await placeOf(await found.open(signal), containers, own);
  if (target.to === 'scratch') {
    const scratch = { jobId, name: temporaryName({ found, database: '' }, jobId) };
    await containers.startScratch(own, scratch, { path: place.dir, entries: filesFor(place, rdb) });
    const server = await ready(() => found.open(signal, scratch), signal, `a new container of ${found.service.image}`);
    return {
      place: `a container of ${found.service.image} without network`,
      proof: await prove(server, target.query),
    };
  }
  // The server itself is stopped too: it would overwrite the files.
  await withoutWriters(
    { data, holds, found },
    jobId,
    () => containers.writeFiles(own, place.dir, filesFor(place, rdb)),
    [name],
  );
  const server = await ready(() => found.open(signal), signal, `the service ${name}`);
  return { place: `the service ${name}`, proof: await prove(server, null) };
}

async function ready(
  open: () => ReturnType<FoundServer['open']>,
  signal: AbortSignal,
  what: string,
): ReturnType<FoundServer['open']> {
  for (const giveUp = Date.now() + readyMs; ; await sleep(200, undefined, { signal })) {
    const server = await open().catch(() => undefined);
    if (server && (await isReady(server).catch(() => false))) return server;
    if (Date.now() > giveUp) throw new BackupError('not_ready', `${what} does not accept connections`, 'See its log.');
  }
}
