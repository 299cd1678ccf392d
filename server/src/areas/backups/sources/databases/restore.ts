import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ArchiveEntry } from '../../../../lib/archive/reader.ts';
import type { ScratchRef } from '../../../../drivers/runtime/container-data.ts';
import { redactor } from '../../../../lib/redact.ts';
import {
  crashExcerpt,
  keptOutput,
  type ProjectData,
  type ServiceHolds,
  withReason,
} from '../../../deployments/port.ts';
import { projectSecrets } from '../hooks.ts';
import { claimName } from '../restore-names.ts';
import { shortHashOf } from '../object-key-parts.ts';
import type { FoundServer } from '../servers.ts';
import { BackupError, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { spoolEntry } from '../spool-file.ts';
import { databaseServersOf } from '../servers.ts';
import type { DatabaseEngine, DatabaseServer, DatabaseDump } from './engine.ts';
import { temporaryPrefix } from './engines.ts';

const readyMs = 180_000;

export type RestoringDatabase = {
  data: ProjectData;
  holds: ServiceHolds;
  found: FoundServer;
  engine: DatabaseEngine;
  database: string;
};

/** A name that only this restore uses. */
export const temporaryDatabaseName = (
  { found, database }: Pick<RestoringDatabase, 'found' | 'database'>,
  jobId: string,
) => `${temporaryPrefix}${shortHashOf(jobId, found.service.name, found.engine, database)}`;

export async function restoreDatabase(
  restoring: RestoringDatabase,
  entries: AsyncIterable<ArchiveEntry>,
  target: RestoreTarget,
  call: SourceCall,
): Promise<RestoreOutcome> {
  const { data, found, engine, database } = restoring;
  const { jobId, signal, say } = call;
  const path = await spoolEntry(entries, call.folder);
  const dump: DatabaseDump = { read: () => createReadStream(path), isElsewhere: false, say };
  const temporary = temporaryDatabaseName(restoring, jobId);
  const at = `of the service ${found.service.name}`;
  if (target.to === 'scratch') return inScratch(restoring, dump, target.query, call);
  const server = await engine.connect(await found.open(signal));
  if (target.to === 'new') {
    const isTaken = (await engine.list(server)).includes(target.name);
    await claimName(data, { jobId, what: 'database', name: target.name, isTaken });
    await engine.replace(server, dump, target.name, temporary);
    return { place: `the database ${target.name} ${at}`, proof: await engine.prove(server, target.name, null) };
  }
  await withoutWriters(restoring, jobId, () => engine.replace(server, dump, database, temporary));
  return { place: `the database ${database} ${at}`, proof: await engine.prove(server, database, null) };
}

/** Stops what may write to the database: the app that uses it, or the other services of its stack. */
export async function withoutWriters<T>(
  { data, holds, found }: Pick<RestoringDatabase, 'data' | 'holds' | 'found'>,
  jobId: string,
  task: () => Promise<T>,
  also: string[] = [],
): Promise<T> {
  const { parts, resting } = data;
  const databases = new Set(databaseServersOf(data).flatMap((each) => (each.isContainer ? each.service.name : [])));
  const others = data.services.map(({ name }) => name).filter((name) => !databases.has(name));
  const services = [...(found.isContainer ? others : [found.service.name]), ...also];
  const hold = await holds.begin({ resting, parts, services, jobId, how: 'stop' });
  try {
    return await task();
  } finally {
    await hold.end();
  }
}

async function inScratch(
  restoring: RestoringDatabase,
  dump: DatabaseDump,
  query: string | null,
  { jobId, signal }: SourceCall,
): Promise<RestoreOutcome> {
  const { found, engine } = restoring;
  const name = temporaryDatabaseName(restoring, jobId);
  if (!found.isContainer) {
    const server = await engine.connect(await found.open(signal));
    await engine.drop(server, name);
    await engine.load(server, { ...dump, isElsewhere: true }, name);
    return { place: `the database ${name} on this machine`, proof: await engine.prove(server, name, query) };
  }
  const server = await startScratchServer(restoring, name, jobId, signal);
  await engine.load(server, { ...dump, isElsewhere: true }, name);
  return {
    place: `a container of ${found.service.image} without network`,
    proof: await engine.prove(server, name, query),
  };
}

/** Starts a server of the same image that nothing else uses, and waits until it is initialized. */
async function startScratchServer(
  { data, found, engine }: RestoringDatabase,
  name: string,
  jobId: string,
  signal: AbortSignal,
): Promise<DatabaseServer> {
  const containers = data.parts.containers!.services.data;
  const { deploymentId, name: service } = found.service;
  const scratch = { jobId, name };
  await containers.startScratch({ deploymentId, service }, scratch);
  for (const giveUp = Date.now() + readyMs; ; await sleep(300, undefined, { signal })) {
    const isRunning = (await containers.inspect(scratch))?.isRunning === true;
    // It may exit at any moment.
    const server = isRunning ? await found.open(signal, scratch).catch(() => undefined) : undefined;
    if (server && (await engine.isReady(server).catch(() => false))) return engine.connect(server);
    if (isRunning && Date.now() < giveUp) continue;
    const what = `A new container of ${found.service.image} ${isRunning ? 'does not accept connections' : 'exited'}`;
    throw new BackupError(
      'scratch_not_ready',
      await withScratchOutput(data, scratch, what),
      'It starts without the networks, volumes and files of the service. See whether the image needs any of them.',
    );
  }
}

/** Appends the line of a scratch container's output that explains why it failed. */
export async function withScratchOutput(data: ProjectData, scratch: ScratchRef, message: string): Promise<string> {
  const output = await data.parts.containers!.services.data.output(scratch, keptOutput).catch(() => []);
  return redactor(projectSecrets(data))(withReason(message, crashExcerpt(output)));
}
