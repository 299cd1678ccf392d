import { Readable } from 'node:stream';
import type { Db } from '../../../db/database.ts';
import { notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { unpackEntries } from '../../../lib/archive/unpack.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { recordAudit } from '../../access/port.ts';
import { type ArchiveStores, rethrowForCaller } from '../archives/archive-stores.ts';
import { readFacts } from '../archives/format.ts';
import type { BackupKeys } from '../keys/service.ts';
import type { Backups } from './service.ts';
import { archivesOf, selectJob } from './store.ts';

type Deps = { db: Db; backups: Backups; stores: ArchiveStores; keys: BackupKeys; sealer: Sealer };

/** Time to follow a link; the download itself may take longer. */
const ticketMs = 60_000;
const ticketPlace = { table: 'backup_jobs', column: 'download', row: '' };

type Wanted = {
  organizationId: string;
  id: string;
  archiveId: string;
  /** One file of the archive; all of it if undefined. */
  path?: string | undefined;
};
export type ArchiveDownload = { name: string; bytes: number; content: Readable };

/** Archives, and single files of them, for people. */
export class Downloads {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The archive as stored, or one file of it. */
  async open(caller: Caller, id: string, archiveId: string, path?: string): Promise<ArchiveDownload> {
    return this.#contentOf(await this.#wanted(caller, id, archiveId, path)).catch(rethrowForCaller);
  }

  /** Returns a ticket that replaces the caller's credentials for one download, because a link of a page cannot send
   * them. */
  async ticketFor(caller: Caller, id: string, archiveId: string, path?: string): Promise<string> {
    const wanted = await this.#wanted(caller, id, archiveId, path);
    return this.#deps.sealer.seal(JSON.stringify({ ...wanted, until: Date.now() + ticketMs }), ticketPlace);
  }

  async openByTicket(ticket: string): Promise<ArchiveDownload> {
    const wanted = ticketIn(this.#deps.sealer, ticket);
    if (!wanted || wanted.until < Date.now()) throw notFound('download');
    return this.#contentOf(wanted).catch(rethrowForCaller);
  }

  async #wanted(caller: Caller, id: string, archiveId: string, path: string | undefined): Promise<Wanted> {
    const backup = await this.#deps.backups.get(caller, id, ['backup'], 'admin');
    const archive = archivesOf(backup).find((each) => each.id === archiveId);
    if (!archive) throw notFound('archive');
    const { organizationId } = backup;
    await recordAudit(this.#deps.db, organizationId, caller, {
      action: 'backup.downloaded',
      target: { id, name: archive.key },
    });
    return { organizationId, id, archiveId, path };
  }

  async #contentOf({ organizationId, id, archiveId, path }: Wanted): Promise<ArchiveDownload> {
    const { db, stores, keys } = this.#deps;
    const backup = await selectJob(db, organizationId, id);
    const archive = backup && archivesOf(backup).find((each) => each.id === archiveId);
    if (!archive) throw notFound('archive');
    const storage = await stores.open(organizationId, archive.destinationId);
    const content = await storage.get(archive.key, { signal: AbortSignal.timeout(86_400_000) }).catch(async (error) => {
      await storage.close();
      throw error;
    });
    content.once('close', () => void storage.close());
    if (path === undefined) return { name: archive.key, bytes: archive.bytes, content };
    const identities = archive.encrypted ? await keys.identities(organizationId) : null;
    return { name: path, ...(await fileIn(content, identities, path)) };
  }
}

/** Finds one file of an archive. The stream fails if the archive is damaged before the file's end. */
async function fileIn(
  archive: Readable,
  identities: Parameters<typeof unpackEntries>[1],
  path: string,
): Promise<Pick<ArchiveDownload, 'bytes' | 'content'>> {
  const { content } = await readFacts(unpackEntries(archive, identities));
  // Leaving a loop over it would close the archive before the file is read.
  for (let next = await content.next(); !next.done; next = await content.next()) {
    const { value: entry } = next;
    if (entry.path !== path || entry.type !== 'file') continue;
    const file = Readable.from(entry.body(), { objectMode: false }).once('close', () => archive.destroy());
    return { bytes: entry.size, content: file };
  }
  throw notFound('file');
}

/** Undefined if it is not one of ours. */
function ticketIn(sealer: Sealer, ticket: string): (Wanted & { until: number }) | undefined {
  try {
    return JSON.parse(sealer.open(ticket, ticketPlace)) as Wanted & { until: number };
  } catch {
    return undefined;
  }
}
