import { once } from 'node:events';
import { addAbortSignal, PassThrough, type Readable } from 'node:stream';
import type { Db } from '../../../db/database.ts';
import { inTransaction } from '../../../db/database.ts';
import { badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { unpackEntries } from '../../../lib/archive/unpack.ts';
import { drainRefusedBody } from '../../../lib/drain-refused-body.ts';
import { newId } from '../../../lib/ids.ts';
import { recordAudit } from '../../access/port.ts';
import { visibleProject } from '../../projects/port.ts';
import { type ArchiveStores, rethrowForCaller } from '../archives/archive-stores.ts';
import { readFacts } from '../archives/format.ts';
import type { Destinations } from '../destinations/service.ts';
import type { BackupKeys } from '../keys/service.ts';
import { newJob } from './new-job.ts';
import { type JobArchive, insertJob, type JobRow } from './store.ts';

type Deps = { db: Db; destinations: Destinations; stores: ArchiveStores; keys: BackupKeys };
export type ImportRequest = { projectId: string; environment: string; destinationId: string; encrypted: boolean };

/**
 * Stores an archive of this or another instance at a destination, as a backup of the project that can be restored. The
 * archive is read to its end first: one that cannot be decrypted, or is damaged, is not stored.
 */
export async function importArchive(
  deps: Deps,
  caller: Caller,
  wanted: ImportRequest,
  body: Readable,
): Promise<JobRow> {
  try {
    return await storeArchive(deps, caller, wanted, body);
  } catch (error) {
    drainRefusedBody(body);
    return rethrowForCaller(error);
  }
}

async function storeArchive(deps: Deps, caller: Caller, wanted: ImportRequest, body: Readable): Promise<JobRow> {
  const { db, destinations, stores, keys } = deps;
  const organizationId = caller.organization.id;
  const { projectId, environment, destinationId, encrypted } = wanted;
  const { slug } = await visibleProject(db, caller, projectId, 'admin');
  await destinations.get(caller, destinationId, 'write');
  const identities = encrypted ? await keys.identities(organizationId) : null;
  const id = newId('bak');
  const key = `${slug}/imported-${id}/archive.tar.zst${encrypted ? '.age' : ''}`;
  const broken = new AbortController();
  const [stored, read] = [0, 1].map(() => addAbortSignal(broken.signal, new PassThrough({ highWaterMark: 1_048_576 })));
  const fail = (error: unknown): never => {
    broken.abort(error);
    // The first error is the cause.
    throw broken.signal.reason;
  };
  const signal = broken.signal;
  const [facts, sent] = await Promise.all([
    contentOf(read!, identities).catch(fail),
    stores.use(organizationId, destinationId, (storage) => storage.put(key, stored!, { signal })).catch(fail),
    copy(body, [read!, stored!], signal).catch(fail),
  ]);
  const now = Date.now();
  const archive: JobArchive = {
    id: newId('bka'),
    name: facts.name,
    ref: facts.source,
    destinationId,
    key,
    ...sent,
    contentBytes: facts.bytes,
    encrypted,
    verifiedAt: now,
  };
  const row: JobRow = {
    ...newJob({
      kind: 'backup',
      organizationId,
      projectId,
      environment,
      policyId: null,
      trigger: 'manual',
      createdBy: caller.userId,
    }),
    id,
    status: 'completed',
    archives: JSON.stringify([archive]),
    startedAt: now,
    finishedAt: now,
  };
  await inTransaction(db, async (trx) => {
    await insertJob(trx, row);
    await recordAudit(trx, organizationId, caller, { action: 'backup.imported', target: { id, name: facts.name } });
  }).catch(async (error: unknown) => {
    // Nobody would find it any more.
    await stores.use(organizationId, destinationId, (storage) => storage.delete(key, { signal }));
    throw error;
  });
  return row;
}

async function contentOf(stream: Readable, identities: Parameters<typeof unpackEntries>[1]) {
  const { facts, content } = await readFacts(unpackEntries(stream, identities));
  let bytes = 0;
  for await (const { size } of content) bytes += size;
  if (!facts.name) throw badRequest('the archive has no name');
  return { ...facts, bytes };
}

/** Writes the body to both streams, at the pace of the slower one. */
async function copy(body: Readable, outputs: PassThrough[], signal: AbortSignal): Promise<void> {
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
    for (const output of outputs) if (!output.write(chunk)) await once(output, 'drain', { signal });
  for (const output of outputs) output.end();
}
